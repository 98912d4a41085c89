import { partsWith } from "./state/fold";

/** Marked shows a text with the words marked that were looked for. */
export function Marked({ text, words }: { text: string; words: string }) {
  const made = [];
  let at = 0;
  for (const { from, to } of partsWith(text, words)) {
    made.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  return <>{[...made, text.slice(at)]}</>;
}
