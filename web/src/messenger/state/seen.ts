// What was seen becomes Read. A message that is deleted on read does when it is opened.
import { signal } from "@preact/signals";
import type { Conversation, Message } from "../../client/index";
import { mostMessages } from "../../kit/limits";
import { client } from "../../kit/state/session";
import * as conversations from "./conversations";
import { keyOf, keyOfMessage } from "./key";
import { change, isUnread, messages } from "./messages";

/** Messages that are deleted on read and were opened, and when. */
export const opened = signal<ReadonlyMap<string, number>>(new Map());

/** isSealed tells whether a message is not shown before one opens it. */
export function isSealed(message: Message): boolean {
  return message.dor && isUnread(message) && !opened.value.has(message.message_id);
}

// What one tab has read, the others have. On other devices it is found out when one comes back to them.
const tabs = new BroadcastChannel("signet-seen");
tabs.onmessage = ({ data }: MessageEvent<{ key: string; ids: readonly string[] }>) => {
  note(data.key, data.ids);
  conversations.reload(); // the messages may not be loaded here
};

function note(key: string, ids: readonly string[]): void {
  for (const id of ids) change(id, (message) => ({ ...message, status: "Read" }));
  conversations.count(key);
}

/** markSeen marks what came in a conversation as Read, up to a sort_number that is on the screen. */
export function markSeen({ entity, organization_id }: Conversation, upTo: number): void {
  const key = keyOf(organization_id, entity.token);
  const seen = [];
  let sealed = false;
  for (const message of messages.value.get(key) ?? []) {
    if (message.sort_number > upTo || !isUnread(message)) continue;
    if (isSealed(message)) sealed = true;
    else seen.push(message);
  }
  if (seen.length === 0) return;
  const ids = seen.map(({ message_id }) => message_id);
  note(key, ids);
  const told = sealed
    ? tell(ids)
    : client.in(organization_id).readConversation(entity.token, upTo).then(() => undefined, () => owe(ids));
  void told.then(() => tabs.postMessage({ key, ids }));
}

const owed = new Set<string>(); // what could not be told

function owe(ids: readonly string[]): void {
  for (const id of ids) owed.add(id);
}

async function tell(ids: readonly string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += mostMessages) {
    const read = ids.slice(at, at + mostMessages);
    await client.setMessageStatus({ read }).catch(() => owe(read));
  }
}

/** settle tells the server what was read while there was no connection. */
export function settle(): void {
  const ids = [...owed];
  owed.clear();
  void tell(ids);
}

/** unseal opens a message that is deleted on read. */
export async function unseal(message: Message): Promise<void> {
  await client.setMessageStatus({ read: [message.message_id] });
  opened.value = new Map(opened.value).set(message.message_id, Date.now());
  const key = keyOfMessage(message);
  note(key, [message.message_id]);
  tabs.postMessage({ key, ids: [message.message_id] });
}
