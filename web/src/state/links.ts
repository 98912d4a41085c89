// Addresses in what people wrote.

/** A piece of a text: words, or what leads somewhere. */
export type Piece = string | { href: string; text: string };

const address = /\b(?:https?:\/\/|mailto:|tel:)[^\s<>"]+/gi;

/** pieces finds the addresses in a text. What ends a sentence is no part of one. */
export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(address)) {
    const shown = trim(match[0]);
    if (!URL.canParse(shown) || /^[a-z]+:(\/\/)?$/i.test(shown)) continue;
    if (match.index > done) found.push(text.slice(done, match.index));
    found.push({ href: new URL(shown).href, text: shown });
    done = match.index + shown.length;
  }
  if (done < text.length) found.push(text.slice(done));
  return found;
}

function trim(address: string): string {
  for (;;) {
    const last = address.at(-1) ?? "";
    const opening = { ")": "(", "]": "[", "}": "{" }[last];
    const ends = opening === undefined ? /[.,;:!?'’”»*_]/.test(last) : count(address, last) > count(address, opening);
    if (!ends) return address;
    address = address.slice(0, -1);
  }
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
