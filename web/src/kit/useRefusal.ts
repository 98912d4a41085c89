import { useState } from "preact/hooks";
import { describe } from "./describe";

/**
 * useRefusal keeps an error, and gives its words in the language of now: "" where there is none. `refuse(undefined)` ends
 * it.
 */
export function useRefusal(): [words: string, refuse: (error: unknown) => void] {
  const [error, setError] = useState<unknown>();
  return [error === undefined ? "" : describe(error), setError];
}
