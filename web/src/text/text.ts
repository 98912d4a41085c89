// The words of the pages. No other file has any.
import { signal } from "@preact/signals";
import type { Dictionary, Entry, Text } from "./dictionary";
import en from "./en.json?shared";
import { pseudo } from "./pseudo";

export type { Text };

/** The languages that people choose from, by their own names. */
export const languages = { en: "English", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof languages;

/** For tests: English with accents, longer and in brackets, which shows what is not in a dictionary. */
const pseudoLanguage = "en-XA";

const stored = "signet-language";

/** The BCP 47 tag of the language in force. */
export const language = signal<string>("en");

/** The words of one page alone, in each language. */
export interface Own {
  readonly en: Partial<Dictionary>;
  readonly de: () => Promise<Partial<Dictionary>>;
  readonly fr: () => Promise<Partial<Dictionary>>;
}

/** Those of this page. */
let own: Own | undefined;

const dictionary = signal<Dictionary>(en as Dictionary);
let plural = new Intl.PluralRules("en");

/** text returns a text, with what is in braces filled in. Where it has plural forms, n chooses. */
export function text(name: Text, values: Readonly<Record<string, string | number>> = {}): string {
  const entry: Entry = dictionary.value[name];
  const form = typeof entry === "string" ? entry : (entry[plural.select(Number(values["n"]))] ?? entry.other ?? "");
  return form.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = values[key] ?? "";
    return typeof value === "number" ? value.toLocaleString(language.value) : value;
  });
}

/** speak loads the language of a tag, and uses it. */
async function speak(tag: string): Promise<void> {
  dictionary.value = await load(tag);
  plural = new Intl.PluralRules(tag);
  language.value = tag;
  document.documentElement.lang = tag;
}

async function load(tag: string): Promise<Dictionary> {
  if (tag === "de" || tag === "fr") {
    const shared = tag === "de" ? import("./de.json?shared") : import("./fr.json?shared");
    const [{ default: words }, more] = await Promise.all([shared, own?.[tag]()]);
    return { ...words, ...more } as Dictionary;
  }
  const english = { ...en, ...own?.en } as Dictionary;
  return tag === pseudoLanguage ? pseudo(english) : english;
}

/** chosenLanguage is the one that the person chose on this device; undefined follows the browser. */
export function chosenLanguage(): Language | undefined {
  const tag = localStorage.getItem(stored) ?? "";
  return tag in languages ? (tag as Language) : undefined;
}

/** choose keeps the choice of a language on this device. */
export async function choose(tag: Language | undefined): Promise<void> {
  if (tag) localStorage.setItem(stored, tag);
  else localStorage.removeItem(stored);
  await start();
}

/**
 * start uses the language that was chosen, or else the first of the browser's that there is. A page gives it first what
 * words it has of its own.
 */
export async function start(of = own): Promise<void> {
  own = of;
  const tags = navigator.languages.map((tag) => (tag === pseudoLanguage ? tag : tag.slice(0, 2)));
  await speak(chosenLanguage() ?? tags.find((tag) => tag in languages || tag === pseudoLanguage) ?? "en");
}

addEventListener("languagechange", () => {
  start().catch(() => undefined); // without a connection the language in force stays
});
