// How far own messages to groups got with each member, as far as the page shows them.
import { signal } from "@preact/signals";
import type { Message, Schemas } from "../../client/index";
import { mostMessages } from "../../kit/limits";
import { client, session } from "../../kit/state/session";
import { changeLast } from "./conversations";
import { change } from "./messages";

type Row = Schemas["StatusRow"];

/** By message, and then by account. */
export const statuses = signal<ReadonlyMap<string, ReadonlyMap<string, Row>>>(new Map());

const wanted = new Set<string>();
const asked = new Set<string>();
const meanwhile = new Map<string, Row[]>(); // what events told of those that are asked for, by message

/** need has the statuses of an own message to a group fetched, together with those that are needed now too. */
export function need(message: Message): void {
  if (asked.has(message.message_id)) return;
  asked.add(message.message_id);
  if (wanted.size === 0) setTimeout(() => void fetchWanted(), 50);
  wanted.add(message.message_id);
  meanwhile.set(message.message_id, []);
}

async function fetchWanted(): Promise<void> {
  const ids = [...wanted];
  wanted.clear();
  for (let at = 0; at < ids.length; at += mostMessages) {
    const some = ids.slice(at, at + mostMessages);
    try {
      const { bulk_message_statuses } = await client.getBulkMessageStatus(some);
      const all = new Map(statuses.value);
      for (const { client_id, statuses: rows } of bulk_message_statuses) {
        const later = meanwhile.get(client_id) ?? [];
        all.set(client_id, new Map([...rows, ...later].map((row) => [row.account_id, row])));
      }
      statuses.value = all;
      for (const id of some) agree(id);
    } catch {
      for (const id of some) asked.delete(id); // when they are shown again
    } finally {
      for (const id of some) meanwhile.delete(id);
    }
  }
}

/** note takes over a status that an event told. It returns the least advanced of all, where all are known. */
export function note(id: string, row: Row): Message["status"] | undefined {
  meanwhile.get(id)?.push(row);
  const rows = statuses.value.get(id);
  if (!rows) return undefined;
  const changed = new Map(rows).set(row.account_id, row);
  statuses.value = new Map(statuses.value).set(id, changed);
  return least([...changed.values()]);
}

/**
 * agree has the list, and whatever shows an own message, say of it what is known of all who got it. The status of a
 * message that one got is how far oneself got with it.
 */
function agree(id: string): void {
  const status = least([...(statuses.value.get(id)?.values() ?? [])]);
  if (status === undefined) return;
  const me = session.value?.account.token;
  const to = (message: Message): Message => (message.sender_token === me ? { ...message, status } : message);
  change(id, to);
  changeLast(id, to);
}

/** least returns the least advanced status of some; who confirmed has read. */
export function least(rows: readonly Row[]): Message["status"] | undefined {
  if (rows.length === 0) return undefined;
  return (["New", "Delivered"] as const).find((early) => rows.some(({ status }) => status === early)) ?? "Read";
}

/** How often they were forgotten: whoever shows one needs it anew then. */
export const round = signal(0);

/** forget has them fetched anew: events may have been lost. */
export function forget(): void {
  asked.clear();
  round.value++;
}
