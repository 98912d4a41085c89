// The messages of conversations, as far as they are loaded, in their order.
import { signal } from "@preact/signals";
import type { Message } from "../client/index";
import { entityOf } from "./conversations";
import { client } from "./session";

/** By the token of the conversation's user or group. */
export const messages = signal<ReadonlyMap<string, readonly Message[]>>(new Map());

/** Whether there are older ones, by the same token. */
export const older = signal<ReadonlyMap<string, boolean>>(new Map());

/** open loads the newest of a conversation, or, where some are loaded, what came after them. */
export async function open(token: string, organization: string): Promise<void> {
  const known = messages.value.get(token)?.at(-1);
  if (known) {
    for await (const message of client.in(organization).each.getHistory(token, { after: known.sort_number })) add(message);
    return;
  }
  const page = await client.in(organization).getHistory(token);
  older.value = new Map(older.value).set(token, page.metadata.more);
  put(token, page.results);
}

/** back loads a page of older ones. */
export async function back(token: string, organization: string): Promise<void> {
  const before = messages.value.get(token)?.[0]?.sort_number;
  if (before === undefined || !older.value.get(token)) return;
  const page = await client.in(organization).getHistory(token, { before });
  older.value = new Map(older.value).set(token, page.metadata.more);
  put(token, page.results);
}

/** add puts one message into its conversation, if that is loaded. */
export function add(message: Message): void {
  const token = entityOf(message);
  if (messages.value.has(token)) put(token, [message]);
}

/** change changes a message wherever it is loaded. */
export function change(id: string, to: (message: Message) => Message): void {
  for (const [token, list] of messages.value) {
    const message = list.find((m) => m.message_id === id);
    if (message) put(token, [to(message)]);
  }
}

function put(token: string, some: readonly Message[]): void {
  const all = new Map((messages.value.get(token) ?? []).map((message) => [message.message_id, message]));
  for (const message of some) all.set(message.message_id, message);
  const list = [...all.values()].sort((a, b) => a.sort_number - b.sort_number);
  messages.value = new Map(messages.value).set(token, list);
}
