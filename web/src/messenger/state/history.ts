// What was said before: the messages of conversations, and the notes of groups, are loaded in pages.
import { batch, signal } from "@preact/signals";
import type { Conversation, Schemas } from "../../client/index";
import { client } from "../../kit/state/session";
import { choose, conversations, count, details, isOpen, join } from "./conversations";
import { wide } from "./inspected";
import { keyOf } from "./key";
import { forget as forgetMessages, gaps, isUnread, messages, noteEvents, older, partial, put, setGap, since, stale } from "./messages";
import * as notes from "./notes";
import { type Sought, visited } from "./visit";

const page = 100;
const largePage = 200; // where many are wanted
const nearPage = 50; // before, and after, a message that one goes to
const kept = 1000; // messages that stay loaded, of those that came while the page was open

type Entry = Schemas["HistoryEntry"];
type HistoryPage = Schemas["HistoryPage"];

/** Which part of a conversation: what comes before or after a sort_number, and how much. */
interface Part {
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
}

/** A conversation for which something is done: with whom, and where. */
interface Of {
  readonly token: string;
  readonly organization: string;
  readonly key: string;
  /** How often what was said in it was forgotten before. */
  readonly forgotten: number;
}

/** How often what was said in a conversation was forgotten, by its key. */
const forgotten = new Map<string, number>();

function ofNow(token: string, organization: string): Of {
  const key = keyOf(organization, token);
  return { token, organization, key, forgotten: forgotten.get(key) ?? 0 };
}

/** isOver tells whether what was said was forgotten since: what was asked for before is not taken over. */
function isOver(of: Of): boolean {
  return (forgotten.get(of.key) ?? 0) !== of.forgotten;
}

/** ask asks for a page of a conversation; of one with a group, with its notes. */
function ask({ token, organization, key }: Of, query: Part): Promise<HistoryPage> {
  const { entity } = conversations.value.get(key) ?? {};
  const there = client.in(organization);
  return entity?.type === "tigertext:entity:group"
    ? there.getHistory(token, { ...query, notes: true })
    : there.getHistory(token, query);
}

/** take merges what the server answers with into its conversation. */
function take({ key }: Of, entries: readonly Entry[]): void {
  notes.put(key, entries.filter((entry) => "note" in entry));
  put(key, entries.filter((entry) => "message_id" in entry));
}

interface Taking {
  /** Whether the page still belongs where it was asked for. */
  fits?: () => boolean;
  /** Takes over what the page says of the conversation. */
  taken?: (page: HistoryPage) => void;
}

/**
 * load takes over a page, and then what events told meanwhile. Of a conversation that was forgotten meanwhile it takes
 * nothing, and returns nothing.
 */
async function load(of: Of, query: Part, { fits = () => true, taken }: Taking = {}): Promise<HistoryPage | undefined> {
  const replay = noteEvents();
  try {
    const answer = await ask(of, query);
    if (isOver(of)) return undefined;
    if (fits()) {
      batch(() => {
        take(of, answer.results);
        taken?.(answer);
      });
    }
    return answer;
  } finally {
    replay();
  }
}

/** Conversations that are being opened, by their keys. */
const opening = new Map<string, Promise<void>>();

/**
 * open loads the newest of a conversation, back to the first unread one; or, where some are loaded, what came after them,
 * and what a call that failed has left out before them. Whoever asks meanwhile waits for the same.
 */
export function open(conversation: Conversation): Promise<void> {
  const key = keyOf(conversation.organization_id, conversation.entity.token);
  const begun = opening.get(key) ?? begin(conversation).finally(() => opening.get(key) === begun && opening.delete(key));
  opening.set(key, begun);
  return begun;
}

async function begin(conversation: Conversation): Promise<void> {
  const { entity: { token }, organization_id: organization, unread_count, sort_number } = conversation;
  const of = ofNow(token, organization);
  const { key } = of;
  const known = messages.value.get(key)?.at(-1);
  if (known) await goOn(of, known.sort_number);
  if (known && (!partial.has(key) || gaps.value.has(key))) return;
  partial.add(key);
  let before = known && since.get(key);
  let unread = messages.value.get(key)?.filter(isUnread).length ?? 0;
  let wanted = unread_count;
  for (let more = true, asked = false; more && (before === undefined || unread < wanted); ) {
    const answer = await load(of, {
      limit: unread_count > page ? largePage : page, ...(before === undefined ? {} : { before }),
    });
    if (!answer) return;
    const { results, metadata } = answer;
    unread += results.filter((entry) => "message_id" in entry && isUnread(entry)).length;
    before = results.at(-1)?.sort_number;
    more = metadata.more;
    since.set(key, before ?? since.get(key) ?? 0);
    older.value = new Map(older.value).set(key, more);
    // Another device may have read them; and of one that the list has not come to it is not known how many there are.
    if (asked || (sort_number > 0 ? !more || unread >= wanted : unread === 0)) continue;
    asked = true;
    wanted = await unreadNow(of) ?? wanted;
  }
  partial.delete(key);
  count(key);
}

/** unreadNow asks how many messages of a conversation are unread, which the list has from then on. */
async function unreadNow({ token, organization }: Of): Promise<number | undefined> {
  let continuation: string | undefined;
  do {
    const { results, metadata } = await client.getConversations({
      page_size: largePage, organization, ...(continuation && { continuation }),
    });
    const found = results.find(({ entity }) => entity.token === token);
    if (found) {
      join([found]);
      return found.unread_count;
    }
    continuation = metadata.continuation;
  } while (continuation);
  return undefined;
}

/** The last message that came before what may be missed, by the conversation's key. */
const sure = new Map<string, number>();

/** forget forgets what was said in a conversation. Whoever opens it asks anew. */
export function forget(key: string): void {
  forgotten.set(key, (forgotten.get(key) ?? 0) + 1);
  opening.delete(key);
  sure.delete(key);
  forgetMessages(key);
  notes.forget(key);
}

/** goOn loads what came after all that is surely there, and how that is now. */
async function goOn(of: Of, last: number): Promise<void> {
  const { key } = of;
  const from = sure.get(key) ?? last;
  sure.delete(key);
  let changed = false;
  try {
    for (let more = true, after = from; more; ) {
      const answer = await load(of, { after });
      if (!answer) return;
      const { results, metadata } = answer;
      after = results.at(-1)?.sort_number ?? after;
      more = metadata.more;
    }
    changed = stale.delete(key);
    if (!changed) return;
    await refresh(of);
    count(key); // what was seen meanwhile
  } catch (error) {
    sure.set(key, from); // all of it is asked for again
    if (changed) stale.add(key);
    throw error;
  }
}

/** refresh takes over what changed of the newest while nobody told. */
async function refresh(of: Of): Promise<void> {
  const { key } = of;
  const before = new Set(messages.value.get(key)?.map((message) => message.message_id));
  const answer = await load(of, { limit: largePage }, {
    taken: ({ results: some }) => {
      const gap = gaps.value.get(key);
      const reached = some.at(-1)?.sort_number ?? 0;
      if (gap && reached < gap.to) setGap(key, { from: gap.from, to: reached });
    },
  });
  if (!answer) return;
  const { results } = answer;
  const oldest = results.at(-1)?.sort_number ?? 0;
  const still = new Set(results.map((entry) => "message_id" in entry && entry.message_id));
  // What came since the answer was made is not in it.
  const kept = (messages.value.get(key) ?? []).filter(
    ({ message_id, sort_number }) => sort_number < oldest || still.has(message_id) || !before.has(message_id),
  );
  messages.value = new Map(messages.value).set(key, kept);
}

/** missing notes up to where nothing is missed: from now on events may be lost, and what one sends comes behind them. */
export function missing(): void {
  for (const [key, list] of messages.peek()) {
    const last = list.at(-1);
    if (last && !sure.has(key)) sure.set(key, last.sort_number);
  }
}

/** missed notes that events may have been lost: what is loaded is asked for anew when it is opened. */
export function missed(): void {
  missing();
  for (const key of messages.value.keys()) stale.add(key);
  opening.clear(); // what was asked before may lack it
}

/**
 * trim lets go of what was said long ago, where a conversation has grown while the page was open. Scrolling back loads it
 * again. What is unread stays: the page counts it.
 */
export function trim(key: string): void {
  const list = messages.value.get(key) ?? [];
  const first = list.at(-kept);
  if (!first || list.length < 2 * kept || gaps.value.has(key) || list.slice(0, -kept).some(isUnread)) return;
  batch(() => {
    messages.value = new Map(messages.value).set(key, list.slice(-kept));
    notes.forget(key, first.sort_number);
    since.set(key, first.sort_number);
    older.value = new Map(older.value).set(key, true);
  });
}

const going = new Set<string>();

/** once has something asked for that is not being asked for already. */
async function once(name: string, act: () => Promise<unknown>): Promise<void> {
  if (going.has(name)) return;
  going.add(name);
  try {
    await act();
  } finally {
    going.delete(name);
  }
}

/** back loads a page of older ones: of those before a gap, early, where there is one; else of those after it. */
export async function back(token: string, organization: string, early = false): Promise<void> {
  const of = ofNow(token, organization);
  const { key } = of;
  const gap = early ? undefined : gaps.value.get(key);
  const before = gap?.to ?? since.get(key);
  if (before === undefined || !messages.value.has(key) || (!gap && !older.value.get(key))) return;
  const taken = ({ results, metadata: { more } }: HistoryPage) => {
    const oldest = results.at(-1)?.sort_number ?? before;
    if (gap) return setGap(key, more ? { from: gap.from, to: oldest } : undefined);
    since.set(key, oldest);
    older.value = new Map(older.value).set(key, more);
  };
  const fits = () => (gap ? gaps.value.get(key) === gap : since.get(key) === before);
  await once(`${key} ${gap ? "gap" : "back"}`, () => load(of, { before, limit: largePage }, { fits, taken }));
}

/** forth loads a page of those that come first in a gap. */
export async function forth(token: string, organization: string): Promise<void> {
  const of = ofNow(token, organization);
  const { key } = of;
  const gap = gaps.value.get(key);
  if (!gap) return;
  const taken = ({ results, metadata: { more } }: HistoryPage) => {
    setGap(key, more ? { from: results.at(-1)?.sort_number ?? gap.from, to: gap.to } : undefined);
  };
  const fits = () => gaps.value.get(key) === gap;
  await once(`${key} gap`, () => load(of, { after: gap.from, limit: largePage }, { fits, taken }));
}

/** Where one wants to go: the conversation's key, the sort_number of a message, and what was found, if it was searched for. */
interface Aim {
  readonly key: string;
  readonly sort: number;
  readonly hit: Sought | undefined;
}

/** The message that one wants to go to, until one is there. */
export const aim = signal<Aim | undefined>(undefined);

/**
 * openAt opens a conversation at one of its messages, which gets the focus, and loads what is around it. Of one that was
 * searched for, its place is shown where it is gone.
 */
export function openAt(conversation: Conversation, sort: number, hit?: Sought): void {
  batch(() => {
    visited.value = undefined;
    const key = keyOf(conversation.organization_id, conversation.entity.token);
    aim.value = { key, sort, hit };
    if (!isOpen(key) || (details.peek() && !wide.peek())) choose(conversation);
  });
}

/** around loads what stands around a place in a conversation, where it is not loaded. */
export async function around(conversation: Conversation, sort: number): Promise<void> {
  const { entity: { token }, organization_id: organization } = conversation;
  const key = keyOf(organization, token);
  await (messages.value.has(key) ? opening.get(key) : open(conversation));
  const gap = gaps.value.get(key);
  const inGap = gap && sort > gap.from && sort < gap.to;
  if (!inGap && (sort >= (since.get(key) ?? 0) || !older.value.get(key))) return;
  const of = ofNow(token, organization);
  const replay = noteEvents();
  try {
    const [before, after] = await Promise.all([
      ask(of, { before: sort + 1, limit: nearPage }), ask(of, { after: sort, limit: nearPage }),
    ]);
    if (isOver(of)) return;
    batch(() => {
      const late = gaps.value.get(key)?.to ?? since.get(key) ?? 0; // all is loaded from there on
      const last = after.results.at(-1)?.sort_number ?? sort;
      const kept = (messages.value.get(key) ?? []).filter(({ sort_number }) => sort_number >= late);
      messages.value = new Map(messages.value).set(key, kept);
      notes.forget(key, late);
      take(of, [...before.results, ...after.results]);
      setGap(key, after.metadata.more ? { from: last, to: late } : undefined);
      since.set(key, before.results.at(-1)?.sort_number ?? sort);
      older.value = new Map(older.value).set(key, before.metadata.more);
    });
  } finally {
    replay();
  }
}

const soon = 100; // milliseconds in which what one call changes is told
const short = 1_000_000; // microseconds between the notes of one call, at most, as sort_numbers count them

/** By the conversation's key: from where on there are notes that are not loaded. */
const noted = new Map<string, number>();

/** noteChange loads the notes of what an event has told of a group: it does not say all of it, and none of the names. */
export function noteChange(token: string, organization: string, sort: number): void {
  const key = keyOf(organization, token);
  if (!messages.value.has(key) && !opening.has(key)) return;
  const waits = noted.has(key);
  noted.set(key, Math.min(noted.get(key) ?? Infinity, sort - short));
  if (waits) return;
  setTimeout(() => {
    const after = noted.get(key) ?? 0;
    noted.delete(key);
    void fetchNotes(ofNow(token, organization), after).catch(() => undefined); // the next connection asks anew
  }, soon);
}

async function fetchNotes(of: Of, after: number): Promise<void> {
  const { key } = of;
  await opening.get(key);
  if (!messages.value.has(key)) return;
  const known = new Set(notes.notes.value.get(key)?.map(({ sort_number }) => sort_number));
  const answer = await load(of, { after });
  const last = answer?.results.findLast((entry) => "note" in entry);
  if (last && !known.has(last.sort_number)) notes.latest.value = { key, note: last };
}
