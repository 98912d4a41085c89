// Notes of what changed of groups, as far as the histories of these are loaded.
import { signal } from "@preact/signals";
import type { Schemas } from "../../client/index";

export type Note = Schemas["GroupNote"];

/** By the conversation's key, oldest first. */
export const notes = signal<ReadonlyMap<string, readonly Note[]>>(new Map());

/** The one that came last while the page was open. */
export const latest = signal<{ readonly key: string; readonly note: Note } | undefined>(undefined);

/** put merges notes into those of a conversation. */
export function put(key: string, some: readonly Note[]): void {
  if (some.length === 0) return;
  const all = new Map((notes.value.get(key) ?? []).map((note) => [note.sort_number, note]));
  for (const note of some) all.set(note.sort_number, note);
  notes.value = new Map(notes.value).set(key, [...all.values()].sort((a, b) => a.sort_number - b.sort_number));
}

/** forget forgets the notes of a conversation, or those before a place in it. */
export function forget(key: string, before = Infinity): void {
  const list = notes.value.get(key);
  if (list) notes.value = new Map(notes.value).set(key, list.filter(({ sort_number }) => sort_number >= before));
}

/** Who took oneself out of a group, and when, as far as an event told: by the conversation's key. */
export const removals = signal<ReadonlyMap<string, { readonly by: string; readonly time: string }>>(new Map());

/** noteRemoval keeps who took oneself out of a group; undefined, where one is in it again. */
export function noteRemoval(key: string, removal: { by: string; time: string } | undefined): void {
  const all = new Map(removals.value);
  if (removal) all.set(key, removal);
  else all.delete(key);
  removals.value = all;
}
