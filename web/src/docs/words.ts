// The words of the API page alone, in each language.
import en from "../text/en.json?docs";
import type { Words } from "../text/text";

export const own: Words = {
  en,
  de: async () => (await import("../text/de.json?docs")).default,
  fr: async () => (await import("../text/fr.json?docs")).default,
};
