// The words that nobody is told at first, so that they come behind the page: why a call failed, and those that
// bundle.mjs lists.
import en from "./en.json?late";
import type { Words } from "./text";

export const late: Words = {
  en,
  de: async () => (await import("./de.json?late")).default,
  fr: async () => (await import("./fr.json?late")).default,
};
