// The messages of conversations, as far as they are loaded: from some message on to the newest, but for a gap.
import { signal } from "@preact/signals";
import type { Message } from "../../client/index";
import { session } from "../../kit/state/session";
import { keyOfMessage } from "./key";

/** By the conversation's key, oldest first. */
export const messages = signal<ReadonlyMap<string, readonly Message[]>>(new Map());

/** Whether there are older ones, by the same key. */
export const older = signal<ReadonlyMap<string, boolean>>(new Map());

/**
 * A stretch of a conversation that is not loaded, where one went to an old message: what comes after one sort_number and
 * before another. There is one at most.
 */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** By the same key. */
export const gaps = signal<ReadonlyMap<string, Gap>>(new Map());

/** setGap says what is not loaded in the middle of a conversation: undefined, where that is nothing. */
export function setGap(key: string, gap: Gap | undefined): void {
  const all = new Map(gaps.value);
  if (gap && gap.from < gap.to) all.set(key, gap);
  else if (!all.delete(key)) return;
  gaps.value = all;
}

/** From which sort_number on a conversation is loaded, by the same key: of a message, or of a note. */
export const since = new Map<string, number>();

/** What may have changed while there was no connection, by the same key. */
export const stale = new Set<string>();

/** Of which not all that is unread is loaded yet, by the same key. */
export const partial = new Set<string>();

/**
 * The sort_number up to which nothing of a conversation is missed, by the same key. The last of its
 * messages may be before that: an own one is shown with the answer to its call, one that has
 * expired no more.
 */
const reached = new Map<string, number>();

function reach(key: string, sort: number): void {
  reached.set(key, Math.max(reached.get(key) ?? 0, sort));
}

/** Up to which sort_number all of a conversation is read, by this device, by the same key. */
const readTo = new Map<string, number>();

/** noteReadTo notes that all of a conversation is read up to a message, whatever an answer says that was made before. */
export function noteReadTo(key: string, sort: number): void {
  readTo.set(key, Math.max(readTo.get(key) ?? 0, sort));
}

/** isReadTo tells whether all of a conversation is read up to a message; 0: one that is not known. */
export function isReadTo(key: string, sort: number): boolean {
  return sort > 0 && (readTo.get(key) ?? 0) >= sort;
}

/** isUnread tells whether the account has not read a message that it got. */
export function isUnread(message: Message): boolean {
  return message.status !== "Read" && !message.is_recalled && message.sender_token !== session.value?.account.token;
}

/** unreadIn returns what is unread in a conversation, where it is loaded from there up to a message; else undefined. */
export function unreadIn(key: string, upTo: number): readonly Message[] | undefined {
  const known = !stale.has(key) && !partial.has(key) && (reached.get(key) ?? 0) >= upTo;
  return known ? messages.value.get(key)?.filter(isUnread) : undefined;
}

/** What events tell while answers are under way, which may have been made before. */
const meanwhile = new Set<(() => void)[]>();

/** noteEvents keeps what events tell, until the function that it returns is called, which applies it again. */
export function noteEvents(): () => void {
  const told: (() => void)[] = [];
  meanwhile.add(told);
  return () => {
    meanwhile.delete(told);
    for (const again of told.splice(0)) again();
  };
}

/** What is being sent, of which a copy may come before the answer does. */
const onTheirWay = new Set<{ readonly key: string; readonly body: string }>();

/** setOut notes that a message is being sent, until the function that it returns is called: it is shown once. */
export function setOut(key: string, body: string): () => void {
  const way = { key, body };
  onTheirWay.add(way);
  const replay = noteEvents();
  return () => {
    onTheirWay.delete(way);
    replay();
  };
}

/** add puts one message into its conversation, if that is loaded. */
export function add(message: Message): void {
  for (const told of meanwhile) told.push(() => add(message));
  const key = keyOfMessage(message);
  if (!messages.value.has(key)) return;
  reach(key, message.sort_number);
  const own = message.sender_token === session.value?.account.token;
  if (own && [...onTheirWay].some((way) => way.key === key && way.body === message.body)) return;
  put(key, [message]);
}

/** change changes a message wherever it is loaded, or is about to be. */
export function change(id: string, to: (message: Message) => Message): void {
  for (const told of meanwhile) told.push(() => change(id, to));
  for (const [key, list] of messages.value) {
    const at = list.findLastIndex((message) => message.message_id === id);
    const message = list[at];
    if (message) messages.value = new Map(messages.value).set(key, list.with(at, to(message)));
  }
}

/** drop forgets messages that are gone. It returns the keys of their conversations. */
export function drop(gone: (message: Message) => boolean): readonly string[] {
  const changed = new Map(messages.value);
  const keys = [];
  for (const [key, list] of changed) {
    if (!list.some(gone)) continue;
    keys.push(key);
    changed.set(key, list.filter((message) => !gone(message)));
  }
  if (keys.length > 0) messages.value = changed;
  return keys;
}

/** forget forgets all of a conversation. */
export function forget(key: string): void {
  const left = new Map(messages.value);
  if (left.delete(key)) messages.value = left;
  older.value = new Map(older.value).set(key, false);
  reached.delete(key);
  stale.delete(key);
  partial.delete(key);
  since.delete(key);
  setGap(key, undefined);
}

/** get finds a message that is loaded. */
export function get(id: string): Message | undefined {
  for (const list of messages.value.values()) {
    const message = list.findLast(({ message_id }) => message_id === id);
    if (message) return message;
  }
  return undefined;
}

const progress = ["New", "Delivered", "Read"];

/** latest takes over a message that was asked for: events may have told more meanwhile, and nothing goes back. */
function latest(known: Message | undefined, message: Message): Message {
  if (known?.is_recalled) return known;
  const further = known && progress.indexOf(known.status) > progress.indexOf(message.status);
  return further ? { ...message, status: known.status } : message;
}

/** put merges messages into a list; what comes before or behind all of it is the usual case. */
export function put(key: string, some: readonly Message[]): void {
  const list = messages.value.get(key) ?? [];
  const ordered = some.toSorted((a, b) => a.sort_number - b.sort_number);
  const first = ordered[0];
  const last = ordered.at(-1);
  let merged: readonly Message[];
  if (!first || !last) merged = list;
  else if (list.length === 0 || first.sort_number > (list.at(-1)?.sort_number ?? 0)) merged = [...list, ...ordered];
  else if (last.sort_number < (list[0]?.sort_number ?? 0)) merged = [...ordered, ...list];
  else {
    const all = new Map(list.map((message) => [message.message_id, message]));
    for (const message of ordered) all.set(message.message_id, latest(all.get(message.message_id), message));
    merged = [...all.values()].sort((a, b) => a.sort_number - b.sort_number);
  }
  messages.value = new Map(messages.value).set(key, merged);
  if (last) reach(key, last.sort_number);
}
