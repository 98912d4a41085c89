// Texts as the search of the server compares them: without case, accents and strokes.

// What people write in more than one way, and Unicode does not take apart (as in internal/search/fold.go).
const letters = new Map(
  `øo łl đd ðd ɖd ħh ŧt ƶz ƀb ɉj ɨi ŋng æae œoe þth ıi əe ǝe ĸk ⱥa ǥg ɓb ɗd ƙk ƴy ґг ғг қк ңн ұу үу һх ҳх өо әа єе іи ўу
  ςσ یي ىي ےي کك ةه ہه ھه ەه ٱا`.split(/\s+/).map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

const apostrophe = /['’‘ʼʻ`＇ʹʾʿ״׳˽′ـ]/u; // and the line that stretches Arabic words: both are passed over
const mark = /\p{M}/u;
const inWord = /[\p{L}\p{N}]/u;
const picture = /\p{So}/u;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Yi}ー]/u;

function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "");
}

/** fold is a text as it is compared. */
export function fold(text: string): string {
  const even = plain(plain(text).toUpperCase().toLowerCase());
  return /^[\0-\x7f]*$/.test(even) ? even : Array.from(even, (letter) => letters.get(letter) ?? letter).join("");
}

/** wordsOf are the words of a text, folded: runs of letters and digits, and each picture. */
export function wordsOf(text: string): string[] {
  return runsOf(text).filter((word) => word !== "");
}

function runsOf(text: string): string[] {
  const words = [""];
  for (const letter of fold(text)) {
    if (apostrophe.test(letter)) continue;
    if (inWord.test(letter)) words.push((words.pop() ?? "") + letter);
    else words.push(picture.test(letter) ? letter : "", "");
  }
  return words;
}

/** A text, letter by letter as it is compared, with where each stands in it. */
interface Folded {
  text: string;
  /** Where what a letter was made of begins and ends, by its place in text. */
  from: number[];
  to: number[];
  /** Places in text at which a word begins. */
  begins: number[];
}

function folded(text: string): Folded {
  const out: Folded = { text: "", from: [], to: [], begins: [] };
  let begin = true; // of a word
  let at = 0;
  for (const letter of text) {
    const end = at + letter.length;
    if (letter >= "\x80" && mark.test(letter) && out.to.length > 0) out.to[out.to.length - 1] = end; // of the letter before
    else if (apostrophe.test(letter)) begin = true;
    else {
      const latin = letter < "\x80";
      const made = latin ? letter.toLowerCase() : fold(letter);
      const word = inWord.test(made);
      const drawn = !latin && picture.test(made);
      if ((word && begin) || drawn || (!latin && unspaced.test(letter))) out.begins.push(out.text.length);
      out.text += word || drawn ? made : " ".repeat(made.length);
      for (let i = 0; i < made.length; i++) {
        out.from.push(at);
        out.to.push(end);
      }
      begin = !word;
    }
    at = end;
  }
  return out;
}

/** A part of a text, from one place to another. */
export interface Part {
  from: number;
  to: number;
}

/** partsWith are the parts of a text that the words of another one begin, in their order and apart. */
export function partsWith(text: string, sought: string): Part[] {
  const words = wordsOf(sought).sort((a, b) => b.length - a.length);
  if (words.length === 0) return [];
  const all = folded(text);
  const parts: Part[] = [];
  for (const begin of all.begins) {
    const word = words.find((one) => all.text.startsWith(one, begin));
    if (word === undefined) continue;
    const part = { from: all.from[begin] ?? 0, to: all.to[begin + word.length - 1] ?? 0 };
    const last = parts.at(-1);
    if (last && part.from < last.to) last.to = Math.max(last.to, part.to);
    else parts.push(part);
  }
  return parts;
}

const before = 60; // characters that are shown before what was found, at most
const whole = 180; // that are shown in all

/** excerpt is the sentence around what was found in a text, on one line; or how the text begins. */
export function excerpt(text: string, sought: string): string {
  const [found] = partsWith(text, sought);
  const at = found?.from ?? 0;
  const until = found?.to ?? 0;
  const ends = /[.!?。！？…]["'”’»)]*\s+|\n+/gu;
  let from = 0;
  let to = text.length;
  for (const { index, 0: end } of text.matchAll(ends)) {
    if (index + end.length <= at) from = index + end.length;
    else if (index >= until && found) {
      to = index + end.trimEnd().length;
      break;
    }
  }
  const cut = at - from > before;
  if (cut) from = at - before + Math.max(0, text.slice(at - before, at).search(/\s/u)); // where a word begins
  let end = Math.min(to, Math.max(from + whole, until));
  const space = text.lastIndexOf(" ", end);
  if (end < to && space > Math.max(from, until)) end = space; // where a word ends
  const words = text.slice(from, end).replace(/\s+/g, " ").trim();
  return `${cut ? "… " : ""}${words}${end < to ? " …" : ""}`;
}
