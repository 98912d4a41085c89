// The language that nobody speaks: it shows which text is in no dictionary, and which
// place is too small for a longer language.
import type { Dictionary, Entry } from "./dictionary";

const accents: Readonly<Record<string, string>> = {
  a: "á", c: "ç", d: "ð", e: "é", g: "ğ", i: "í", n: "ñ", o: "ö", r: "ŕ", s: "š", u: "ü", y: "ý", z: "ž",
  A: "Á", C: "Ç", D: "Ð", E: "É", G: "Ğ", I: "Í", N: "Ñ", O: "Ö", R: "Ŕ", S: "Š", U: "Ü", Y: "Ý", Z: "Ž",
};

/** pseudo makes each text a third longer, accented and in brackets; what is in braces stays. */
export function pseudo(of: Partial<Dictionary>): Partial<Dictionary> {
  return Object.fromEntries(Object.entries(of).map(([name, entry]) => [name, change(entry)])) as Partial<Dictionary>;
}

function change(entry: Entry): Entry {
  if (typeof entry !== "string") {
    return Object.fromEntries(Object.entries(entry).map(([rule, form]) => [rule, stretch(form)]));
  }
  return stretch(entry);
}

function stretch(words: string): string {
  const accented = words.replace(/\{\w+\}|./gsu, (part) => (part.length > 1 ? part : (accents[part] ?? part)));
  return `[${accented}${"·".repeat(Math.ceil(words.length / 3))}]`;
}
