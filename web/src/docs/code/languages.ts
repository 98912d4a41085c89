// The languages in which each call is shown.
import { csharp } from "./csharp";
import { curl } from "./curl";
import { go } from "./go";
import { java } from "./java";
import { python } from "./python";
import type { Request } from "./request";
import { typescript } from "./typescript";

export interface Language {
  /** By its own name. */
  readonly name: string;
  readonly write: (request: Request) => string;
}

export const languages = {
  curl: { name: "curl", write: curl },
  go: { name: "Go", write: go },
  typescript: { name: "TypeScript", write: typescript },
  python: { name: "Python", write: python },
  java: { name: "Java", write: java },
  csharp: { name: "C#", write: csharp },
} as const satisfies Readonly<Record<string, Language>>;

export type LanguageName = keyof typeof languages;
