import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { describe } from "./describe";

/** What was asked for: nothing yet, the value, or why there is none. */
export interface Loaded<T> {
  value: T | undefined;
  problem: string;
  reload: () => void;
}

/** useLoaded asks for something, and anew when what it depends on changes. An answer that comes late counts for nothing. */
export function useLoaded<T>(ask: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [{ value, error }, setState] = useState<{ value: T | undefined; error?: unknown }>({ value: undefined });
  const turn = useRef(0);
  const reload = useCallback(() => {
    const mine = ++turn.current;
    const is = (value: T | undefined, error?: unknown) => {
      if (mine === turn.current) setState((before) => ({ value: value ?? before.value, error }));
    };
    ask().then(is, (error: unknown) => is(undefined, error));
  }, on);
  useEffect(() => {
    setState({ value: undefined });
    reload();
    return () => void turn.current++;
  }, on);
  return { value, problem: error === undefined ? "" : describe(error), reload };
}
