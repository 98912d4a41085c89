// A message that was searched for, and that one went to.
import { signal } from "@preact/signals";

/** A message as it was found. */
export interface Sought {
  readonly id: string;
  /** What was looked for in it. */
  readonly words: string;
}

/** How the message that one went to is found: it may have been recalled meanwhile, or have expired. */
type State = "there" | "recalled" | "gone";

/** The message that one went to last, until one leaves its conversation or goes elsewhere in it. */
export const visited = signal<(Sought & { readonly key: string; readonly state: State }) | undefined>(undefined);

/** leave forgets the message that one went to in a conversation. */
export function leave(key: string): void {
  if (visited.peek()?.key === key) visited.value = undefined;
}

/** soughtIn is what was looked for in a message. */
export function soughtIn(id: string): string | undefined {
  return visited.value?.id === id ? visited.value.words : undefined;
}
