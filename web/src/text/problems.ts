// Why a call failed, in words for the person who is told. Nobody is at first, so they come behind the page.
import en from "./en.json?problem";
import type { Words } from "./text";

export const problems: Words = {
  en,
  de: async () => (await import("./de.json?problem")).default,
  fr: async () => (await import("./fr.json?problem")).default,
};
