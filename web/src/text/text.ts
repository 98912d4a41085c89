// The words of the pages. No other file has any.
import { computed, signal } from "@preact/signals";
import type { Dictionary, Entry, Text } from "./dictionary";
import en from "./en.json?shared";

export type { Text };

/** The languages that people choose from, by their own names. */
export const languages = { en: "English", de: "Deutsch", fr: "Français" } as const;
export type Language = keyof typeof languages;

/** For tests: English with accents, longer and in brackets, which shows what is not in a dictionary. */
const pseudoLanguage = "en-XA";

const stored = "signet-language";

/** The BCP 47 tag of the language in force. */
export const language = signal<string>("en");

/** The same with the country, as the browser has it: the third of April is 03/04 in London, and 04/03 in New York. */
export const region = computed(
  () => navigator.languages.find((tag) => tag.startsWith(`${language.value}-`)) ?? language.value,
);

/** Some of the words, in each language. */
export interface Words {
  readonly en: Partial<Dictionary>;
  readonly de: () => Promise<Partial<Dictionary>>;
  readonly fr: () => Promise<Partial<Dictionary>>;
}

/** Those of no page alone. */
const shared: Words = {
  en,
  de: async () => (await import("./de.json?shared")).default,
  fr: async () => (await import("./fr.json?shared")).default,
};

let own: Words | undefined; // those of this page alone
let late: Words | undefined; // those that came behind it

const dictionary = signal<Dictionary>(en as Dictionary);
/** Apart, so that what is shown already is not drawn anew when they come. */
const lateDictionary = signal<Partial<Dictionary>>({});
let plural = new Intl.PluralRules("en");

/** text returns a text, with what is in braces filled in. Where it has plural forms, n chooses. */
export function text(name: Text, values: Readonly<Record<string, string | number>> = {}): string {
  const entry: Entry = dictionary.value[name] ?? lateDictionary.value[name] ?? name;
  const form = typeof entry === "string" ? entry : (entry[plural.select(Number(values["n"]))] ?? entry.other ?? "");
  return form.replace(/\{(\w+)\}/g, (_, key: string) => {
    const value = values[key] ?? "";
    return typeof value === "number" ? value.toLocaleString(language.value) : value;
  });
}

/** isText tells whether there is a text of a name, by now. */
export function isText(name: string): name is Text {
  return name in dictionary.value || name in lateDictionary.value;
}

/** speak loads the language of a tag, and uses it. */
async function speak(tag: string): Promise<void> {
  const [common, mine, behind] = await Promise.all([shared, own, late].map((words) => load(words, tag)));
  dictionary.value = { ...common, ...mine } as Dictionary;
  lateDictionary.value = behind ?? {};
  plural = new Intl.PluralRules(tag);
  language.value = tag;
  document.documentElement.lang = tag;
}

async function load(words: Words | undefined, tag: string): Promise<Partial<Dictionary>> {
  if (!words) return {};
  if (tag === "de" || tag === "fr") return words[tag]();
  return tag === pseudoLanguage ? (await import("./pseudo")).pseudo(words.en) : words.en;
}

/** add has the words that nobody sees at first, once the page is there. */
export async function add(words: Words): Promise<void> {
  late = words;
  const tag = language.value;
  const loaded = await load(words, tag);
  if (tag === language.value) lateDictionary.value = loaded; // else speak has loaded them
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
