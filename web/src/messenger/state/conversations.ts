// The list of conversations, newest first, and which one is open.
import { computed, signal } from "@preact/signals";
import type { Conversation, Message, Schemas } from "../../client/index";
import { mayPass } from "../../kit/passing";
import { go, path, query } from "../../kit/state/route";
import { client, session } from "../../kit/state/session";
import { keyOf, keyOfMessage } from "./key";
import { change as changeMessage, isReadTo, stale, unreadIn } from "./messages";
import { loadOrganizations, organizations } from "./organizations";
import { know } from "./people";

export type Entity = Conversation["entity"];

/** By the organization and the user or group that each is with (keyOf). As far as they are loaded. */
export const conversations = signal<ReadonlyMap<string, Conversation>>(new Map());

/** The list is being loaded for the first time. */
export const loading = signal(true);

/** The organization of which alone conversations are shown; undefined shows all. */
export const within = signal<string | undefined>(undefined);

/** The token of the user or group whose conversation is open, which the address names. */
export const chosen = computed(() => /^\/c\/([^/]+)/.exec(path.value)?.[1]);

/** The pane with the details is open. */
export const details = computed(() => /^\/c\/[^/]+\/details$/.test(path.value));

/** The organization that the address names. Where one is in one alone, there is nothing to tell apart. */
export const place = computed(() => query.value.get("in") ?? undefined);

let first: string | undefined; // the key with which an address that names no organization was opened

/** The conversation that is open. Undefined while the list does not have it. */
export const current = computed(() => {
  const token = chosen.value;
  const all = conversations.value;
  if (token !== undefined && place.value !== undefined) return all.get(keyOf(place.value, token));
  // One with the same person in another organization may come into the list: what is being written is not for that.
  if (token === undefined || !first?.endsWith(`/${token}`)) first = token && keyIn(token);
  return first === undefined ? undefined : all.get(first);
});

/** keyIn is the key of a conversation with a user or group: in the organization that is shown, or else in any. */
function keyIn(token: string): string | undefined {
  const organization = within.peek();
  const exact = organization && keyOf(organization, token);
  if (exact && conversations.value.has(exact)) return exact;
  return [...conversations.value.keys()].find((key) => key.endsWith(`/${token}`));
}

/** isOpen tells whether a conversation of the list is the one that is open. */
export function isOpen(key: string): boolean {
  return current.value !== undefined && current.value === conversations.value.get(key);
}

/** addressOf is where a conversation is shown, or its details. */
export function addressOf({ entity, organization_id }: Conversation, pane: "" | "/details" = ""): string {
  return `/c/${entity.token}${pane}${organizations.value.size > 1 ? `?in=${organization_id}` : ""}`;
}

/** choose opens a conversation; undefined goes back to the list. */
export function choose(conversation: Conversation | undefined): void {
  go(conversation ? addressOf(conversation) : "/");
}

/** isOwn tells whether one is in an organization, as far as it is known. */
function isOwn(organization: string): boolean {
  return organizations.value.size === 0 || organizations.value.has(organization);
}

/** leave takes those of an organization out of the list, and closes the one that is open. It returns their keys. */
export function leave(organization: string): readonly string[] {
  if (current.value?.organization_id === organization) go("/", { replace: true });
  const keys = [...conversations.value.keys()].filter((key) => key.startsWith(`${organization}/`));
  conversations.value = new Map([...conversations.value].filter(([key]) => !keys.includes(key)));
  return keys;
}

/** begin opens the conversation with a user or group, which may be new. */
export function begin(entity: Entity, organization: string): void {
  choose(placeFor(entity, organization));
}

/** placeFor is the conversation with a user or group, which may be new. */
export function placeFor(entity: Entity, organization: string): Conversation {
  const key = keyOf(organization, entity.token);
  const known = conversations.value.get(key);
  if (known) return known;
  const made: Conversation = {
    entity, organization_id: organization, unread_count: 0, unread_priority_count: 0, muted: false, sort_number: 0,
  };
  conversations.value = new Map(conversations.value).set(key, made);
  return made;
}

/** find loads a user or group that the list does not have: the one that the address names, unless told in which organization. */
export async function find(token: string, there = place.value): Promise<boolean> {
  const organization = there ?? within.value;
  const options = organization === undefined ? {} : { organization };
  if (there !== undefined && organizations.value.size === 0) await loadOrganizations();
  if (there !== undefined && !isOwn(there)) return false;
  try {
    const group = await client.getGroup(token, options);
    if (there !== undefined && group.organization_key !== there) return false;
    placeFor({ ...group, type: group.xmlns }, group.organization_key);
  } catch (error) {
    if (mayPass(error)) throw error;
    try {
      const user = await client.getUser(token, options);
      const home = organization ?? user.organization_key ?? session.value?.account.organization_key;
      if (home === undefined) return false;
      placeFor({ ...user, type: user.xmlns }, home);
    } catch (second) {
      if (mayPass(second)) throw second;
      return false;
    }
  }
  return true;
}

export const newestFirst = computed(() =>
  [...conversations.value.values()]
    .filter(({ organization_id }) => within.value === undefined || organization_id === within.value)
    .sort((a, b) => b.sort_number - a.sort_number),
);

/** How many messages were unread in what the list did not load, when it was loaded last. */
export const beyond = signal(0);

/** How many messages one has not read yet. */
export const unread = computed(() => beyond.value + unreadOf([...conversations.value.values()]));

/** unreadOf is how many messages of conversations are unread. */
export function unreadOf(some: readonly Conversation[]): number {
  return some.reduce((sum, { unread_count }) => sum + unread_count, 0);
}

function urgentOf(some: readonly Conversation[]): number {
  return some.reduce((sum, { unread_priority_count }) => sum + unread_priority_count, 0);
}

const page = 100;
let latest = 0;
const touched = new Set<string>(); // what changed since the last load began
const emptied = new Set<string>(); // of what nothing is left, since then

/** Where the next page begins, by the organization whose alone it is: undefined for all, null at the end. */
const next = new Map<string | undefined, string | null>();

let kept: readonly string[] = []; // the keys of those in which something is not sent

/** keep says which conversations stay, whatever the server knows of them: what is not sent is there alone. */
export function keep(keys: readonly string[]): void {
  kept = keys;
}

/** load fetches the list anew: as far as it was loaded, and on to all that is urgent. */
export async function load(): Promise<void> {
  const turn = ++latest;
  touched.clear();
  emptied.clear();
  const all = new Map<string, Conversation>();
  let continuation: string | undefined;
  const said: Conversation[] = [];
  let total: Schemas["UnreadCount"] | undefined; // asked for where the list does not say it
  do {
    const { results, metadata } = await client.getConversations({
      page_size: page, ...(continuation === undefined ? {} : { continuation }),
    });
    for (const one of results) {
      readElsewhere(one);
      all.set(keyOf(one.organization_id, one.entity.token), counted(one));
    }
    meet(results);
    said.push(...results);
    continuation = metadata.continuation;
    if (continuation !== undefined && all.size >= conversations.value.size) total ??= await client.getUnreadCount("me");
  } while (continuation !== undefined && (!total || urgentOf(said) < total.unread_priority_count));
  if (turn !== latest) return; // a later one knows more
  for (const key of touched) {
    // A message that came meanwhile may have moved it past the page that was read, or got further than that says.
    const known = conversations.value.get(key);
    const asked = all.get(key);
    if (!known?.last_message || known.sort_number < (asked?.sort_number ?? 0)) continue;
    const newer = !asked || known.sort_number > asked.sort_number;
    all.set(key, newer ? known : { ...asked, last_message: known.last_message });
  }
  for (const key of emptied) {
    const known = conversations.value.get(key);
    if (known && all.has(key)) all.set(key, known);
  }
  const here = kept.flatMap((key) => conversations.value.get(key) ?? []);
  const open = current.value;
  for (const one of open ? [...here, open] : here) {
    // One that has no message yet, or is far down, stays.
    const key = keyOf(one.organization_id, one.entity.token);
    if (all.has(key) || !isOwn(one.organization_id)) continue;
    all.set(key, one);
    said.push(one);
  }
  next.clear();
  next.set(undefined, continuation ?? null);
  conversations.value = all;
  beyond.value = continuation === undefined || !total ? 0 : Math.max(0, total.unread_count - unreadOf(said));
  loading.value = false;
  for (const key of kept) {
    const [organization, token = ""] = key.split("/");
    if (!all.has(key)) void find(token, organization).catch(() => undefined); // the next list tries again
  }
  if (within.value !== undefined) await more();
}

/** meet knows the people of conversations by name. */
function meet(some: readonly Conversation[]): void {
  know(some.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity])));
}

/** counted counts what is unread by what is loaded: the server may not have been told yet what was seen. */
function counted(conversation: Conversation): Conversation {
  const { organization_id, entity, sort_number } = conversation;
  const key = keyOf(organization_id, entity.token);
  if (isReadTo(key, sort_number)) return { ...conversation, unread_count: 0, unread_priority_count: 0 };
  const some = unreadIn(key, sort_number);
  if (!some) return conversation;
  const urgent = some.filter(({ priority }) => priority > 0);
  return { ...conversation, unread_count: some.length, unread_priority_count: urgent.length };
}

/** readElsewhere takes over that fewer messages are unread than is known here: another device has read them. */
function readElsewhere({ organization_id, entity, sort_number, unread_count }: Conversation): void {
  const key = keyOf(organization_id, entity.token);
  const here = (unreadIn(key, sort_number) ?? []).filter((message) => message.sort_number <= sort_number);
  if (unread_count >= here.length) return;
  // Which of them, its history says when it is opened; and since when they are, of what ends a minute after that.
  if (unread_count > 0 || here.some(({ dor }) => dor)) stale.add(key);
  else for (const { message_id } of here) changeMessage(message_id, (message) => ({ ...message, status: "Read" }));
}

/** count counts anew what is unread in a conversation. */
export function count(key: string): void {
  const known = conversations.value.get(key);
  if (known) change(key, counted(known));
}

const going = new Set<string | undefined>();

/** more fetches the next page of the list, or of what it shows of one organization. */
export async function more(): Promise<void> {
  const organization = within.value;
  const from = next.get(organization);
  if (loading.value || from === null || next.get(undefined) === null || going.has(organization)) return;
  going.add(organization);
  const turn = latest;
  const { results, metadata } = await client
    .getConversations({ page_size: page, ...(from && { continuation: from }), ...(organization && { organization }) })
    .finally(() => going.delete(organization));
  if (turn !== latest) return;
  join(results);
  next.set(organization, metadata.continuation ?? null);
}

/** join adds some to the list that it had not come to. */
export function join(some: readonly Conversation[]): void {
  meet(some);
  const all = new Map(conversations.value);
  for (const one of some) {
    const key = keyOf(one.organization_id, one.entity.token);
    const known = all.get(key);
    if (known && (known.last_message || known.sort_number >= one.sort_number)) continue;
    all.set(key, counted(one)); // one that is known was here before the list had it
    beyond.value = Math.max(0, beyond.value - one.unread_count + (known?.unread_count ?? 0));
  }
  conversations.value = all;
}

let planned: ReturnType<typeof setTimeout> | undefined;

/** reload fetches the list soon, once for all that asks for it meanwhile. */
export function reload(): void {
  planned ??= setTimeout(() => {
    planned = undefined;
    load().catch(() => undefined); // without a connection: the next one loads it
  }, 150);
}

/** note moves the conversation of a message up. One that is not in the list has it fetched. */
export function note(message: Message): void {
  const key = keyOfMessage(message);
  const known = conversations.value.get(key);
  if (!known) return reload();
  if (message.sort_number <= known.sort_number) return; // it was in the list already, and counted
  const counts = message.sender_token !== session.value?.account.token && message.status !== "Read";
  change(key, {
    last_message: message,
    sort_number: message.sort_number,
    unread_count: known.unread_count + (counts ? 1 : 0),
    unread_priority_count: known.unread_priority_count + (counts && message.priority > 0 ? 1 : 0),
  });
}

/** change changes what the list says of a conversation. */
export function change(key: string, to: Partial<Conversation>): void {
  const known = conversations.value.get(key);
  if (!known) return;
  touched.add(key);
  conversations.value = new Map(conversations.value).set(key, { ...known, ...to });
}

/** withoutLast has the list say no more what was said last. */
export function withoutLast(key: string): void {
  const { last_message: _, ...rest } = conversations.value.get(key) ?? {};
  touched.add(key);
  if ("entity" in rest) conversations.value = new Map(conversations.value).set(key, rest as Conversation);
}

/** empty has the list say that nothing was said. */
export function empty(key: string): void {
  emptied.add(key);
  change(key, { unread_count: 0, unread_priority_count: 0 });
  withoutLast(key);
}

/** withLast returns the last message of a conversation, by its id. */
export function withLast(id: string): Message | undefined {
  for (const { last_message } of conversations.value.values()) if (last_message?.message_id === id) return last_message;
  return undefined;
}

/** changeLast changes the last message of a conversation, where it is this one. */
export function changeLast(id: string, to: (message: Message) => Message): void {
  for (const [key, { last_message }] of conversations.value) {
    if (last_message?.message_id === id) change(key, { last_message: to(last_message) });
  }
}

/** renew takes over what a user or group is now. What is left out of a group is not known of it any more. */
export function renew(entity: { token: string; xmlns: Entity["xmlns"] } & Partial<Omit<Entity, "type" | "xmlns">>): void {
  const group = entity.xmlns === "tigertext:entity:group";
  for (const [key, known] of conversations.value) {
    if (known.entity.token !== entity.token) continue;
    change(key, { entity: { ...(group ? { type: entity.xmlns } : known.entity), ...entity } as Entity });
  }
}
