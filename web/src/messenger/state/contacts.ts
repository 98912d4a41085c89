// Telephone numbers and mail addresses that stand in a text without a scheme, such as +49 171 1234567.

/** Where something begins and ends in a text, and where it leads. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly href: string;
  /** Where one looks on, where that is not its end. */
  readonly end?: number;
}

const longestName = 64; // before the @ (RFC 5321)
const longestHost = 253;
const longestNumber = 40; // with what sets its digits apart

// Latin letters alone: those of others look like them, and scripts without blanks would run into an address.
const inName = /[\p{Script=Latin}\p{N}._+'-]/u;
const inHost = /[\p{Script=Latin}\p{N}.-]/u;

const name = /[\p{L}\p{N}_](?:[._+'-]?[\p{L}\p{N}_])*$/u; // what ends before the @, without what only stands before it
const host = /^(?:[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*\.)+\p{L}{2,}/u;

/** mailAt is the mail address around the @ that stands there, which begins at a place or after it. */
export function mailAt(text: string, at: number, from: number): Found | undefined {
  let start = at;
  while (start > from && at - start < longestName && inName.test(text.charAt(start - 1))) start--;
  let end = at + 1;
  while (end < text.length && end - at <= longestHost && inHost.test(text.charAt(end))) end++;
  if (start > 0 && /[/@\\\p{Script=Latin}\p{N}]/u.test(text.charAt(start - 1))) return undefined; // of something else
  if (text.charAt(end) === "@") return undefined;
  const [before] = name.exec(text.slice(start, at)) ?? [];
  const [after] = host.exec(text.slice(at + 1, end)) ?? [];
  if (!before || !after || !URL.canParse(`http://${after}`)) return undefined;
  const address = `${before}@${after}`;
  return { from: at - before.length, to: at + 1 + after.length, href: new URL(`mailto:${address}`).href };
}

const apart = /[ \u00a0\u2009\u202f()./-]/;

// What goes on from a number, or into it: letters of scripts that set words apart, digits, and what joins these.
const joined = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_@]/u;

/** numberAt is the telephone number that begins with the + which stands there. */
export function numberAt(text: string, at: number): Found | undefined {
  if (at > 0 && (joined.test(text.charAt(at - 1)) || "+/.=-".includes(text.charAt(at - 1)))) return undefined;
  let end = at + 1;
  let gap = 0;
  for (let i = at + 1; i < Math.min(text.length, at + longestNumber) && gap < 4; i++) {
    if (/\d/.test(text.charAt(i))) [end, gap] = [i + 1, 0];
    else if (apart.test(text.charAt(i))) gap++;
    else break;
  }
  const digits = text.slice(at + 1, end).replace("(0)", "").replace(/\D/g, ""); // which is for calls within the country
  if (!/^[1-9]\d{6,14}$/.test(digits) || joined.test(text.charAt(end))) return undefined;
  return { from: at, to: end, href: `tel:+${digits}` };
}
