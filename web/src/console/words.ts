// The words of the console alone, in each language.
import en from "../text/en.json?console";
import type { Words } from "../text/text";

export const own: Words = {
  en,
  de: async () => (await import("../text/de.json?console")).default,
  fr: async () => (await import("../text/fr.json?console")).default,
};
