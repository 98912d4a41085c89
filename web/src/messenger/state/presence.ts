// Who is here, which each stream says when it begins, and who is writing.
import { signal } from "@preact/signals";

/** Whether a person has the application open, by token; undefined is not known. */
export const here = signal<ReadonlyMap<string, boolean>>(new Map());

/** Who is writing, by the conversation's key and then the person's token. */
export const writing = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());

const patience = 12_000; // milliseconds after which somebody who says nothing has stopped
const timers = new Map<string, ReturnType<typeof setTimeout>>();

export function setHere(token: string, is: boolean): void {
  here.value = new Map(here.value).set(token, is);
}

/** forget knows of nobody any more: while there was no connection, nobody told who left. */
export function forget(): void {
  if (here.peek().size > 0) here.value = new Map();
}

/** setWriting notes that a person writes in a conversation, or has stopped. */
export function setWriting(key: string, token: string, writes: boolean): void {
  const id = `${key} ${token}`;
  clearTimeout(timers.get(id));
  timers.delete(id);
  const known = writing.value.get(key);
  if (writes) timers.set(id, setTimeout(() => setWriting(key, token, false), patience));
  if ((known?.has(token) ?? false) === writes) return;
  const now = new Set(known);
  if (writes) now.add(token);
  else now.delete(token);
  writing.value = new Map(writing.value).set(key, now);
}
