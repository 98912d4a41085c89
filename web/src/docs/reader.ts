// What the reader has told the page: kept in its memory alone, and lost with it, but for the language of the code.
import { signal } from "@preact/signals";
import { type LanguageName, languages } from "./code/languages";
import type { Reader } from "./code/request";

/** The reader's key, secret and organization: put into code, and sent nowhere. */
export const own = signal<Readonly<Record<"key" | "secret" | "organization", string>>>({ key: "", secret: "", organization: "" });

/** reader is what code is filled with. */
export function reader(): Reader {
  return { base: location.origin, ...own.value };
}

const stored = "signet-code";
const kept = localStorage.getItem(stored) ?? "";

/** The language that code is shown in, for all calls, as it was chosen on this device. */
export const codeLanguage = signal<LanguageName>(Object.hasOwn(languages, kept) ? (kept as LanguageName) : "curl");

export function chooseCode(language: LanguageName): void {
  localStorage.setItem(stored, language);
  codeLanguage.value = language;
}
