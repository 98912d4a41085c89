// What was seen becomes Read. A message that is deleted on read does when it is opened.
import { signal } from "@preact/signals";
import type { Conversation, Message } from "../../client/index";
import { mostMessages } from "../../kit/limits";
import { client, session } from "../../kit/state/session";
import { time } from "../../text/clock";
import * as conversations from "./conversations";
import { keyOf, keyOfMessage } from "./key";
import { change, isUnread, messages, noteReadTo } from "./messages";

/** Messages that are deleted on read and were opened, and when. */
export const opened = signal<ReadonlyMap<string, number>>(new Map());

/** isSealed tells whether a message is not shown before one opens it here: who opened it elsewhere may sit elsewhere. */
export function isSealed({ message_id, dor, is_recalled, sender_token }: Message): boolean {
  return dor && !is_recalled && sender_token !== session.value?.account.token && !opened.value.has(message_id);
}

/** What a tab has read; upTo, where all of the conversation is read so far. */
interface Read {
  account: string | undefined;
  key: string;
  ids: readonly string[];
  upTo?: number;
}

// What one tab has read, the others have.
const tabs = new BroadcastChannel("signet-seen");
tabs.onmessage = ({ data }: MessageEvent<Read>) => {
  if (data.account !== session.value?.account.token) return;
  note(data);
  if (data.upTo === undefined) conversations.reload(); // the messages may not be loaded here
};

function note({ key, ids, upTo }: Read): void {
  for (const id of ids) change(id, (message) => ({ ...message, status: "Read" }));
  if (upTo !== undefined) noteReadTo(key, upTo);
  conversations.count(key);
}

/** markSeen marks as Read what has come in a conversation and is on the screen, and nothing else. */
export function markSeen(conversation: Conversation, onScreen: ReadonlySet<string>): void {
  const { entity, organization_id, sort_number, unread_count } = conversation;
  const key = keyOf(organization_id, entity.token);
  const unread = (messages.value.get(key) ?? []).filter(isUnread);
  const seen = unread.filter((message) => onScreen.has(message.message_id) && !isSealed(message));
  const upTo = seen.at(-1)?.sort_number;
  if (upTo === undefined) return;
  const ids = seen.map(({ message_id }) => message_id);
  // Nothing that was not seen comes before it: of all that is unread, also of what is not loaded, which the list knows.
  const all = sort_number > 0 && unread_count <= unread.length && unread[seen.length - 1]?.sort_number === upTo;
  const read: Read = { account: session.value?.account.token, key, ids, ...(all && { upTo }) };
  note(read);
  const told = all
    ? client.in(organization_id).readConversation(entity.token, upTo).then(() => undefined, () => owe(ids))
    : tell(ids);
  telling.add(told);
  void told.then(() => {
    telling.delete(told);
    tabs.postMessage(read);
  });
}

const owed = new Set<string>(); // what could not be told
const telling = new Set<Promise<void>>(); // what is being told

function owe(ids: readonly string[]): void {
  for (const id of ids) owed.add(id);
}

async function tell(ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += mostMessages) {
    const read = ids.slice(at, at + mostMessages);
    await client.setMessageStatus({ read }).catch(() => owe(read));
  }
}

/** settle waits until the server has been told what was read, also while there was no connection. */
export async function settle(): Promise<void> {
  await Promise.all(telling);
  const ids = [...owed];
  owed.clear();
  await tell(ids);
}

/** unseal opens a message that is deleted on read. */
export async function unseal(message: Message): Promise<void> {
  await client.setMessageStatus({ read: [message.message_id] });
  opened.value = new Map(opened.value).set(message.message_id, time());
  const key = keyOfMessage(message);
  const read: Read = { account: session.value?.account.token, key, ids: [message.message_id] };
  note(read);
  tabs.postMessage(read);
}
