// What was said before: the messages of conversations are loaded in pages.
import type { Conversation } from "../../client/index";
import { client } from "../../kit/state/session";
import { count } from "./conversations";
import { keyOf } from "./key";
import { isUnread, messages, noteEvents, older, put, stale } from "./messages";

const page = 100;
const largePage = 200; // where many are wanted

type HistoryQuery = NonNullable<Parameters<typeof client.getHistory>[1]>;
type HistoryPage = Awaited<ReturnType<typeof client.getHistory>>;

/** A conversation: with whom, and where. */
interface Of {
  readonly token: string;
  readonly organization: string;
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
