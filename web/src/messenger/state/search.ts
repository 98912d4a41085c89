// Finding people and groups, also those with whom there is no conversation yet.
import { signal } from "@preact/signals";
import { client, session } from "../../kit/state/session";
import { begin, type Entity, newestFirst, within } from "./conversations";

/** A user or group that was found, and the organization in which. */
export interface Found {
  entity: Entity;
  organization: string;
}

/** What is looked for. */
export const words = signal("");

/** What was found; undefined while nothing is looked for. */
export const found = signal<readonly Found[] | undefined>(undefined);

/** Whether the server is still asked, and the error where it gave no answer: what is known is all that there is. */
export const asked = signal<{ waits: boolean; error?: unknown }>({ waits: false });

const most = 30;

/** Milliseconds after the last letter, before the server is asked. */
export const pause = 150;

let running: AbortController | undefined;
let planned: ReturnType<typeof setTimeout> | undefined;

/** look finds what begins with words: at once what is known, then what the server finds. */
export function look(for_: string): void {
  words.value = for_;
  running?.abort();
  running = undefined; // an answer that is on its way counts no more
  clearTimeout(planned);
  asked.value = { waits: false };
  if (for_.trim() === "") {
    found.value = undefined;
    return;
  }
  const known = knownFor(for_);
  found.value = known;
  asked.value = { waits: true };
  planned = setTimeout(() => {
    const mine = (running = new AbortController());
    ask(for_, { signal: mine.signal }).then(
      (all) => {
        if (mine !== running) return;
        asked.value = { waits: false };
        found.value = merged(known, all);
      },
      (error: unknown) => {
        if (mine === running) asked.value = { waits: false, error }; // else a later one was asked
      },
    );
  }, pause);
}

/** knownFor are the conversations of the list whose names begin with words, the newest first. */
export function knownFor(for_: string): Found[] {
  const parts = folded(for_);
  return newestFirst.value
    .filter(({ entity }) => {
      const own = folded(entity.display_name);
      return parts.every((part) => own.some((word) => word.startsWith(part)));
    })
    .slice(0, most)
    .map(({ entity, organization_id }) => ({ entity, organization: organization_id }));
}

/** merged are some that are known, and behind them what the server found besides. */
export function merged(known: readonly Found[], all: readonly Found[]): Found[] {
  const have = new Set(known.map(({ entity, organization }) => entity.token + organization));
  return [...known, ...all.filter(({ entity, organization }) => !have.has(entity.token + organization))];
}

/** folded are the words of a text, without case and accents, as the server compares them. */
function folded(words: string): string[] {
  const plain = words.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase();
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** ask finds users and groups on the server: all, or those of a type or an organization. It leaves oneself out. */
export async function ask(
  any: string,
  { type, organization = within.value, signal }: { type?: "account"; organization?: string | undefined; signal: AbortSignal },
): Promise<Found[]> {
  const body = { any: any.trim(), page_size: most, ...(type && { type }), ...(organization && { directory: organization }) };
  const { results } = await client.search(body, { signal });
  return (results as { type: string; organization_id: string; entity: object }[])
    .map((one) => ({ entity: { ...one.entity, type: one.type } as Entity, organization: one.organization_id }))
    .filter(({ entity }) => entity.token !== session.value?.account.token);
}

/** open begins the conversation with what was found. */
export function open({ entity, organization }: Found): void {
  look("");
  begin(entity, organization);
}
