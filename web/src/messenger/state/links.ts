// Addresses in what people wrote.
import { type Found, mailAt, numberAt } from "./contacts.js";

/** A piece of a text: words, or what leads somewhere. */
export type Piece = string | { href: string; text: string };

// What an address may begin with, or have in it: a scheme, the @ of mail, the + of a telephone number.
const sign = /\b(?:https?:\/\/|mailto:|tel:)|@|\+(?=[1-9])/gi;

// What ends an address wherever it stands: blanks, what no address has in it, and the punctuation of scripts that are
// written without blanks: Chinese and Japanese with its wide, small and upright forms, Thai, Khmer, Burmese, Tibetan.
// What also joins parts of a name stays: 々 ・ 〜. Marks that turn a line around would show an address as another one.
const ends = new RegExp(
  [
    "[\\s\\p{Cc}\\p{Bidi_Control}\\u200b\\u2060<>\"`“”„‟…—―",
    "、。〃《》〈〉「」『』【】〔〕〖〗〘〙〚〛〝〞〟〰！＂＇（），．：；＜＞？［］｛｝｟｠｡｢｣､",
    "\\ufe10-\\ufe19\\ufe30-\\ufe6b",
    "\\u0e4f\\u0e5a\\u0e5b\\u17d4-\\u17d6\\u17d8-\\u17da\\u104a-\\u104f\\u0f0d-\\u0f14\\u0f3a-\\u0f3d]",
  ].join(""),
  "u",
);

// What is no part of an address at its end, but may be within one: what ends a sentence in any script, closing
// quotation marks, what makes words bold or slanted, and a bracket that nothing closes.
const trails = /[^\P{P}/\-#%&@)\]}]/u;

const openings: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * pieces finds the addresses and telephone numbers in a text. What ends a sentence is no part of one, nor is a bracket
 * that was opened before it. Each letter is looked at a few times at most, so that no text takes long.
 */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let done = 0;
  sign.lastIndex = 0;
  for (let match; (match = sign.exec(text)); ) {
    const [what] = match;
    const { index } = match;
    const one = what === "@" ? mailAt(text, index, done) : what === "+" ? numberAt(text, index) : addressAt(text, index, what);
    if (!one) continue;
    sign.lastIndex = one.end ?? one.to;
    if (one.href === "") continue;
    if (one.from > done) found.push(text.slice(done, one.from));
    found.push({ href: one.href, text: text.slice(one.from, one.to) });
    done = one.to;
  }
  if (done < text.length) found.push(text.slice(done));
  return found;
}

/** addressAt is what begins with a scheme: where it ends for whoever looks on, and where it leads; empty: nowhere. */
function addressAt(text: string, from: number, scheme: string): Found {
  const body = from + scheme.length;
  const end = endOf(text, body);
  const to = withoutTrail(text, body, end);
  const shown = text.slice(from, to);
  const leads = to > body && URL.canParse(shown) && isPlain(shown);
  return { from, to, end, href: leads ? new URL(shown).href : "" };
}

// Scripts with letters that look like Latin ones.
const alike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;

/**
 * isPlain reports whether people see where an address of a page leads: what is before a @, a number in place of a name,
 * a sign that looks like a slash, or a name that mixes alphabets can pass a host off as another one.
 */
function isPlain(shown: string): boolean {
  const { protocol, hostname } = new URL(shown);
  if (!protocol.startsWith("http")) return true;
  const host = /^[^:]+:\/\/([^/?#\\]*)/.exec(shown)?.[1]?.replace(/:\d*$/, "") ?? "";
  if (/^[\x21-\x7e]*$/.test(host)) return host.startsWith("[") || hostname === host.toLowerCase();
  if (/[^\p{L}\p{M}\p{N}\-_.。・·\u200c\u200d]/u.test(host)) return false;
  return !host.split(/[.。]/).some((label) => /\p{Script=Latin}/u.test(label) && alike.test(label));
}

/** endOf returns where what may be an address ends: before what ends any, and before a bracket that it did not open. */
function endOf(text: string, from: number): number {
  const open: Record<string, number> = { "(": 0, "[": 0, "{": 0 };
  for (let at = from; at < text.length; at++) {
    const letter = text.charAt(at);
    if (ends.test(letter)) return at;
    const opening = openings[letter];
    if (letter in open) open[letter]!++;
    else if (opening && open[opening]!-- === 0) return at;
  }
  return text.length;
}

/** withoutTrail returns where an address ends that is followed by what ends a sentence. */
function withoutTrail(text: string, from: number, end: number): number {
  while (end > from && trails.test(text.charAt(end - 1))) end--;
  return end;
}
