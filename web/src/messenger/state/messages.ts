// The messages of conversations, as far as they are loaded: from some message on to the newest.
import { signal } from "@preact/signals";
import type { Conversation, Message } from "../../client/index";
import { client, session } from "../../kit/state/session";
import { count, keyOf, keyOfMessage } from "./conversations";

/** By the conversation's key, oldest first. */
export const messages = signal<ReadonlyMap<string, readonly Message[]>>(new Map());

/** Whether there are older ones, by the same key. */
export const older = signal<ReadonlyMap<string, boolean>>(new Map());

const page = 100;
const largePage = 200; // where many are wanted
const stale = new Set<string>(); // what may have changed while there was no connection

/**
 * The sort_number up to which nothing of a conversation is missed, by the same key. The last of its
 * messages may be before that: an own one is shown with the answer to its call, one that has
 * expired no more.
 */
const reached = new Map<string, number>();

function reach(key: string, sort: number): void {
  reached.set(key, Math.max(reached.get(key) ?? 0, sort));
}

/** isUnread tells whether the account has not read a message that it got. */
export function isUnread(message: Message): boolean {
  return message.status !== "Read" && !message.is_recalled && message.sender_token !== session.value?.account.token;
}

/** unreadIn returns what is unread in a conversation, all of which is loaded up to a message; else undefined. */
export function unreadIn(key: string, upTo: number): readonly Message[] | undefined {
  const known = !stale.has(key) && (reached.get(key) ?? 0) >= upTo;
  return known ? messages.value.get(key)?.filter(isUnread) : undefined;
}

type HistoryQuery = NonNullable<Parameters<typeof client.getHistory>[1]>;
type HistoryPage = Awaited<ReturnType<typeof client.getHistory>>;

/** A conversation: with whom, and where. */
interface Of {
  readonly token: string;
  readonly organization: string;
}

/** What events tell while answers are under way, which may have been made before. */
const meanwhile = new Set<(() => void)[]>();

/** noteEvents keeps what events tell, until the function that it returns is called, which applies it again. */
function noteEvents(): () => void {
  const told: (() => void)[] = [];
  meanwhile.add(told);
  return () => {
    meanwhile.delete(told);
    for (const again of told.splice(0)) again();
  };
}

/** ask merges messages that the server answers with into their conversation, and then what events told meanwhile. */
async function ask(conversation: Of, query: HistoryQuery): Promise<HistoryPage> {
  const replay = noteEvents();
  try {
    const answer = await client.in(conversation.organization).getHistory(conversation.token, query);
    put(keyOf(conversation.organization, conversation.token), answer.results);
    return answer;
  } finally {
    replay();
  }
}

/** Conversations that are being opened, by their keys. */
const opening = new Map<string, Promise<void>>();

/**
 * open loads the newest of a conversation, back to the first unread one; or, where some are loaded,
 * what came after them. Whoever asks meanwhile waits for the same.
 */
export function open(conversation: Conversation): Promise<void> {
  const key = keyOf(conversation.organization_id, conversation.entity.token);
  const begun = opening.get(key) ?? load(conversation).finally(() => opening.get(key) === begun && opening.delete(key));
  opening.set(key, begun);
  return begun;
}

async function load({ entity: { token }, organization_id: organization, unread_count }: Conversation): Promise<void> {
  const of = { token, organization };
  const key = keyOf(organization, token);
  const known = messages.value.get(key)?.at(-1);
  if (known) {
    for (let more = true, after = known.sort_number; more; ) {
      const { results, metadata } = await ask(of, { after });
      after = results.at(-1)?.sort_number ?? after;
      more = metadata.more;
    }
    if (stale.delete(key)) {
      await refresh(key, of);
      count(key); // what was seen meanwhile
    }
    return;
  }
  let unread = 0;
  for (let more = true, before: number | undefined; more && (before === undefined || unread < unread_count); ) {
    const { results, metadata } = await ask(of, {
      limit: unread_count > page ? largePage : page, ...(before === undefined ? {} : { before }),
    });
    unread += results.filter(isUnread).length;
    before = results.at(-1)?.sort_number;
    more = metadata.more;
    older.value = new Map(older.value).set(key, more);
  }
}

/** refresh takes over what changed of the newest while nobody told. */
async function refresh(key: string, of: Of): Promise<void> {
  const before = new Set(messages.value.get(key)?.map((message) => message.message_id));
  const { results } = await ask(of, { limit: largePage });
  const oldest = results.at(-1)?.sort_number ?? 0;
  const still = new Set(results.map((message) => message.message_id));
  // What came since the answer was made is not in it.
  const kept = (messages.value.get(key) ?? []).filter(
    ({ message_id, sort_number }) => sort_number < oldest || still.has(message_id) || !before.has(message_id),
  );
  messages.value = new Map(messages.value).set(key, kept);
}

/** missed notes that events may have been lost: what is loaded is asked for anew when it is opened. */
export function missed(): void {
  for (const key of messages.value.keys()) stale.add(key);
  opening.clear(); // what was asked before may lack it
}

const going = new Set<string>();

/** back loads a page of older ones. */
export async function back(token: string, organization: string): Promise<void> {
  const key = keyOf(organization, token);
  const before = messages.value.get(key)?.[0]?.sort_number;
  if (before === undefined || !older.value.get(key) || going.has(key)) return;
  going.add(key);
  try {
    const { metadata } = await ask({ token, organization }, { before, limit: largePage });
    older.value = new Map(older.value).set(key, metadata.more);
  } finally {
    going.delete(key);
  }
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

/** drop forgets messages that are gone. */
export function drop(gone: (message: Message) => boolean): void {
  const changed = new Map(messages.value);
  let any = false;
  for (const [key, list] of changed) {
    if (!list.some(gone)) continue;
    any = true;
    changed.set(key, list.filter((message) => !gone(message)));
  }
  if (any) messages.value = changed;
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
function put(key: string, some: readonly Message[]): void {
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
