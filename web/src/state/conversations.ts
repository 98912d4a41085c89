// The list of conversations, newest first, and which one is open.
import { computed, signal } from "@preact/signals";
import type { Conversation, Message } from "../client/index";
import { go, path } from "./route";
import { client, session } from "./session";

/** By the token of their user or group. */
export const conversations = signal<ReadonlyMap<string, Conversation>>(new Map());

/** The token of the one that is open, which the address names. */
export const chosen = computed(() => /^\/c\/([^/]+)$/.exec(path.value)?.[1]);

/** choose opens a conversation; undefined goes back to the list. */
export function choose(token: string | undefined): void {
  go(token === undefined ? "/" : `/c/${token}`);
}

export const newestFirst = computed(() =>
  [...conversations.value.values()].sort((a, b) => b.sort_number - a.sort_number),
);

/** load fetches the list anew. */
export async function load(): Promise<void> {
  const all = new Map<string, Conversation>();
  for await (const conversation of client.each.getConversations()) all.set(conversation.entity.token, conversation);
  conversations.value = all;
}

/** entityOf names the user or group that a message's conversation is with. */
export function entityOf(message: Message): string {
  if (message.group_token) return message.group_token;
  return message.sender_token === session.value?.account.token ? message.recipient_token : message.sender_token;
}

/** note moves the conversation of a message up. One that is not in the list has it fetched. */
export async function note(message: Message): Promise<void> {
  const token = entityOf(message);
  const known = conversations.value.get(token);
  if (!known) return load();
  if (message.sort_number <= known.sort_number) return; // it was in the list already, and counted
  const received = message.sender_token !== session.value?.account.token;
  change(token, {
    last_message: message,
    sort_number: message.sort_number,
    unread_count: known.unread_count + (received ? 1 : 0),
  });
}

/** read marks what came in a conversation as Read. */
export async function read(token: string): Promise<void> {
  const known = conversations.value.get(token);
  if (!known || known.unread_count === 0) return;
  change(token, { unread_count: 0, unread_priority_count: 0 });
  await client.in(known.organization_id).readConversation(token, known.sort_number);
}

function change(token: string, to: Partial<Conversation>): void {
  const known = conversations.value.get(token);
  if (known) conversations.value = new Map(conversations.value).set(token, { ...known, ...to });
}
