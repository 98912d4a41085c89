// What is being written, by conversation: in memory only.
import { signal } from "@preact/signals";

export interface Draft {
  body: string;
  /** To be sent with it: the first goes with the words, each further one as a message of its own. */
  files?: readonly File[];
  /** The id of the message that it answers. */
  reply?: string;
  /** Minutes; left out, it is the organization's. */
  ttl?: number;
  dor?: boolean;
  priority?: 1;
}

/** By the conversation's key. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

const empty: Draft = { body: "" };

export function draftOf(key: string): Draft {
  return drafts.value.get(key) ?? empty;
}

/** write changes a draft. What is undefined goes back to the organization's rule. */
export function write(key: string, to: { [K in keyof Draft]?: Draft[K] | undefined }): void {
  const all = new Map(drafts.value);
  const draft = Object.fromEntries(Object.entries({ ...draftOf(key), ...to }).filter(([, value]) => value !== undefined));
  if (draft["body"] === "" && Object.keys(draft).length === 1) all.delete(key);
  else all.set(key, { ...empty, ...draft });
  drafts.value = all;
}

/** isWritten tells whether something would be lost with the drafts: words, or files. */
export function isWritten(): boolean {
  return [...drafts.value.values()].some(({ body, files }) => body.trim() !== "" || files);
}
