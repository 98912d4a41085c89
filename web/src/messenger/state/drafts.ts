// What is being written, by conversation. All but files is kept in the browser until it is sent, or one signs out.
import { effect, signal } from "@preact/signals";
import { draftsOf } from "../../kit/state/kept";
import { session } from "../../kit/state/session";

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
  /** The escalation policy by which it is sent on while nobody comes. */
  escalate?: string;
}

/** By the conversation's key. */
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

const empty: Draft = { body: "" };

export function draftOf(key: string): Draft {
  return drafts.value.get(key) ?? empty;
}

/** write changes a draft. What is undefined goes back to the organization's rule. */
export function write(key: string, to: { [K in keyof Draft]?: Draft[K] | undefined }): void {
  set(key, { ...draftOf(key), ...to });
  keep(key);
}

function set(key: string, to: { [K in keyof Draft]?: Draft[K] | undefined }): void {
  const all = new Map(drafts.value);
  const draft = Object.fromEntries(Object.entries(to).filter(([, value]) => value !== undefined));
  if ((draft["body"] ?? "") === "" && Object.keys(draft).every((name) => name === "body")) all.delete(key);
  else all.set(key, { ...empty, ...draft });
  drafts.value = all;
}

/** isWritten tells whether something would be lost with the drafts: words, or files. */
export function isWritten(): boolean {
  return [...drafts.value.values()].some(({ body, files }) => body.trim() !== "" || files);
}

/** place is where the drafts of the account are kept, each under the key of its conversation. */
function place(): string {
  return draftsOf(session.value?.account.token ?? "");
}

/** keep keeps what is written in a conversation. */
function keep(key: string): void {
  const { files: _, ...words } = draftOf(key);
  try {
    if (words.body === "" && words.reply === undefined) localStorage.removeItem(place() + key);
    else localStorage.setItem(place() + key, JSON.stringify(words));
  } catch {
    // There is no more room: it stays in memory.
  }
}

/** read takes over what is kept of a conversation. Files stay as they are. */
function read(key: string, kept: string | null): void {
  const { files } = draftOf(key);
  set(key, { ...(kept === null ? empty : (JSON.parse(kept) as Draft)), files });
}

// What was kept is there as soon as it is known who is signed in.
let of = "";
effect(() => {
  const account = session.value?.account.token;
  if (account === undefined || account === of) return;
  of = account;
  const at = draftsOf(account);
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(at)) read(name.slice(at.length), localStorage.getItem(name));
  }
});

// What one tab writes or sends, the others show.
addEventListener("storage", ({ key: name, newValue }) => {
  const at = place();
  if (session.value && name?.startsWith(at)) read(name.slice(at.length), newValue);
});
