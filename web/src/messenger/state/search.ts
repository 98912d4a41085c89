// Finding people, groups and messages, also of people with whom there is no conversation yet.
import { batch, computed, signal } from "@preact/signals";
import { type Message, SignetError } from "../../client/index";
import { client, session } from "../../kit/state/session";
import { begin, current, type Entity, newestFirst, placeFor, within } from "./conversations";
import { wordsOf } from "./fold";
import { openAt } from "./history";
import { parts } from "./parts";
import { know } from "./people";

/** A user or group that was found, and the organization in which. */
export interface Found {
  entity: Entity;
  organization: string;
}

/** A message that was found, and whom its conversation is with. */
export interface Hit extends Found {
  message: Message;
}

/** What was found of a kind so far. */
export interface Finding<T> {
  list: readonly T[];
  /** The server is being asked. */
  waits: boolean;
  /** Why it gave no answer. */
  error?: unknown;
  /** The server has more; absent at the end. */
  next?: string;
  /** How far back messages were looked at. */
  searchedTo?: string;
}

/** What messages are looked for besides their words. */
export interface Filters {
  conversation?: { token: string; organization: string; name: string };
  sender?: { token: string; name: string };
  files?: true;
  /** Days, as fields of dates have them. */
  since?: string;
  until?: string;
}

/** What is looked for. */
export const words = signal("");
export const filters = signal<Filters>({});

/** Someone has opened the search, to see whom there is to write to. */
export const browsing = signal(false);

const nothing = { list: [], waits: false } as const;

/** What was found. */
export const people = signal<Finding<Found>>(nothing);
export const groups = signal<Finding<Found>>(nothing);
export const hits = signal<Finding<Hit>>(nothing);

/** Only messages are looked for. */
export const filtered = computed(() => Object.keys(filters.value).length > 0);

/** Something is looked for. */
export const sought = computed(() => filtered.value || words.value.trim() !== "");

/** The search takes the place of the list. */
export const searching = computed(() => browsing.value || sought.value);

/** longestWords is how many letters may be looked for in messages. */
export const longestWords = 200;

const most = 30;

/** Milliseconds after the last letter, before the server is asked. */
export const pause = 150;

/** The same for messages, which the server opens to look into them. */
const longPause = 400;

let running = new AbortController();
const planned: ReturnType<typeof setTimeout>[] = [];

/** plan does something after a while, unless something else is looked for by then. */
function plan(act: () => void, wait: number): void {
  planned.push(setTimeout(act, wait));
}

/** look finds what begins with words: at once what is known, then what the server finds. */
export function look(for_: string): void {
  running.abort(); // an answer that is on its way counts no more
  running = new AbortController();
  for (const timer of planned.splice(0)) clearTimeout(timer);
  batch(() => {
    words.value = for_;
    begins("account", people);
    begins("group", groups);
    beginsHits();
  });
}

/** filter changes what messages are looked for besides their words. */
export function filter(to: Filters): void {
  batch(() => {
    filters.value = to;
    look(words.value);
  });
}

/** close brings the list back. */
export function close(): void {
  batch(() => {
    filters.value = {};
    look("");
    browsing.value = false;
  });
}

/** searchIn looks into the messages of one conversation. */
export function searchIn({ entity, organization }: Found): void {
  filter({ conversation: { token: entity.token, organization, name: entity.display_name } });
}

/** begins begins with what is known of a kind. */
function begins(type: "account" | "group", part: typeof people): void {
  const any = words.value.trim();
  if (any === "" || filtered.value) {
    part.value = nothing;
    return;
  }
  part.value = { list: knownFor(any, { type }), waits: true };
  plan(() => void more(part, ({ next }) => page(any, { type, next, signal: running.signal }), keyOf), pause);
}

/**
 * knownFor are the conversations of the list whose names begin with words, the newest first: all, or those of a type, or
 * of an organization.
 */
export function knownFor(for_: string, { type, organization }: Pick<Question, "type" | "organization"> = {}): Found[] {
  const parts = wordsOf(for_);
  if (parts.length === 0 && for_.trim() !== "") return [];
  return newestFirst.value
    .filter(({ entity, organization_id }) => {
      if (organization !== undefined && organization !== organization_id) return false;
      const own = wordsOf(entity.display_name);
      const fits = type === undefined || ("num_members" in entity) === (type === "group");
      return fits && parts.every((one) => own.some((word) => word.startsWith(one)));
    })
    .slice(0, most)
    .map(({ entity, organization_id }) => ({ entity, organization: organization_id }));
}

/** merged are some that are known, and behind them what the server found besides. */
export function merged(known: readonly Found[], all: readonly Found[]): Found[] {
  const have = new Set(known.map(keyOf));
  return [...known, ...all.filter((one) => !have.has(keyOf(one)))];
}

const keyOf = ({ entity, organization }: Found) => entity.token + organization;

/** beginsHits begins to look into messages, where there is something to look for. */
function beginsHits(): void {
  const { since: one, until: other, files, ...rest } = filters.value;
  // A day whose year is still being typed is none yet.
  const [first, last] = [one, other].map((day) => (day && /^[1-9]\d{3}-/.test(day) ? day : undefined));
  const [since, until] = first && last && first > last ? [last, first] : [first, last];
  const text = words.value.trim();
  const asked = wordsOf(text).length > 0 && text.length <= longestWords;
  if (!asked && !(files && text === "")) {
    hits.value = nothing;
    return;
  }
  hits.value = { list: [], waits: true };
  const body = {
    ...(asked && { text }),
    ...(files && { has: "attachment" as const }),
    ...(rest.conversation && { entity: rest.conversation.token }),
    ...(rest.sender && { sender: rest.sender.token }),
    ...(since && { since: midnight(since, 0) }),
    ...(until && { until: midnight(until, 1) }),
  };
  const organization = rest.conversation?.organization ?? within.value;
  const ask = async ({ next }: Finding<Hit>): Promise<Omit<Finding<Hit>, "waits">> => {
    const options = { signal: running.signal, ...(organization && { organization }) };
    const { results, metadata } = await client.searchMessages({ ...body, ...(next && { continuation: next }) }, options);
    return {
      list: results.map(({ message, entity, organization_id }) => ({ message, entity, organization: organization_id })),
      ...(metadata.continuation && { next: metadata.continuation }),
      ...(metadata.searched_to && { searchedTo: metadata.searched_to }),
    };
  };
  askHits = () => more(hits, ask, ({ message }) => message.message_id);
  plan(() => void askHits(), text === "" ? 0 : longPause);
}

let askHits = async () => {};

/** searchOlder looks into messages that are older than those which were looked at. */
export function searchOlder(): void {
  if (!hits.peek().waits) void askHits();
}

/** moreOf asks for more people, or groups. */
export function moreOf(part: typeof people): void {
  const type = part === people ? "account" : "group";
  if (!part.peek().waits) void more(part, ({ next }) => page(words.value.trim(), { type, next, signal: running.signal }), keyOf);
}

/** midnight is when a day begins on this device, or one of the days after it. */
function midnight(day: string, later: number): string {
  const time = new Date(`${day}T00:00`);
  time.setDate(time.getDate() + later);
  return time.toISOString();
}

/** more adds what is found to a part, unless something else is looked for by then. */
async function more<T>(
  part: { value: Finding<T> },
  ask: (so: Finding<T>) => Promise<Omit<Finding<T>, "waits">>,
  key: (one: T) => string,
): Promise<void> {
  const mine = running;
  const so = part.value;
  part.value = { ...so, waits: true };
  try {
    const { list, ...rest } = await ask(so);
    if (mine !== running) return;
    const known = part.value.list; // some may be gone since
    const have = new Set(known.map(key));
    const found = [...known, ...list.filter((one) => !have.has(key(one)))];
    part.value = { ...(so.searchedTo && { searchedTo: so.searchedTo }), ...rest, list: found, waits: false };
  } catch (error) {
    if (mine !== running) return;
    const without = error instanceof SignetError && error.code === "text_without_word"; // and so nothing has it
    part.value = { ...so, list: part.value.list, waits: false, ...(!without && { error }) };
  }
}

/** A question for people or groups. */
interface Question {
  type?: "account" | "group";
  organization?: string | undefined;
  next?: string | undefined;
  /** Oneself is found too. */
  self?: boolean;
  signal: AbortSignal;
}

/** page finds users and groups on the server, of all organizations or one. */
async function page(any: string, { type, organization = within.value, next, self, signal }: Question): Promise<Omit<Finding<Found>, "waits">> {
  const body = {
    any, page_size: most, ...(type && { type }), ...(organization && { directory: organization }),
    ...(next && { continuation: next }),
  };
  const { results, metadata } = await client.search(body, { signal });
  const { continuation } = metadata;
  return { list: foundIn(results, self), ...(continuation && { next: continuation }) };
}

/** foundIn takes over what the server found, and knows the people by name. It leaves oneself out unless asked not to. */
export function foundIn(results: readonly unknown[], self = false): Found[] {
  const all = (results as { type: string; organization_id: string; entity: object }[])
    .map((one) => ({ entity: { ...one.entity, type: one.type } as Entity, organization: one.organization_id }));
  know(all.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity])));
  return self ? all : all.filter(({ entity }) => entity.token !== session.value?.account.token);
}

/** ask finds people, groups or both by their names, in all organizations or one. */
export async function ask(any: string, question: Question): Promise<readonly Found[]> {
  return (await page(any.trim(), question)).list;
}

/** open begins the conversation with what was found. */
export function open({ entity, organization }: Found): void {
  const before = current.peek();
  close();
  begin(entity, organization);
  if (before && before === current.peek()) parts.composer?.focus(); // the row that had the focus is gone
}

/** changeHits has what was found say of messages what they are now; undefined: they are gone. */
export function changeHits(to: (message: Message) => Message | undefined): void {
  const { list } = hits.peek();
  const now = list.flatMap((hit) => {
    const message = to(hit.message);
    return message === hit.message ? [hit] : message ? [{ ...hit, message }] : [];
  });
  if (now.length < list.length || now.some((hit, i) => hit !== list[i])) hits.value = { ...hits.peek(), list: now };
}

/** openHit shows a message in its place; what was found with it stays. */
export function openHit({ message, entity, organization }: Hit): void {
  openAt(placeFor(entity, organization), message.sort_number, { id: message.message_id, words: words.value });
}
