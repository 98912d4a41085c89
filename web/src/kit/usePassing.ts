import { useEffect, useRef, useState } from "preact/hooks";

const lasting = 10_000; // milliseconds

/** usePassing holds what is said of something that is over: it goes by itself, or when something else is said. */
export function usePassing(): [words: string, say: (words: string, stays?: boolean) => void] {
  const [words, setWords] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const say = (said: string, stays = false) => {
    clearTimeout(timer.current);
    setWords(said);
    if (said && !stays) timer.current = setTimeout(setWords, lasting, "");
  };
  return [words, say];
}
