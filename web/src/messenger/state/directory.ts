// The people of one's organizations, by their departments.
import { signal } from "@preact/signals";
import { client } from "../../kit/state/session";
import { within } from "./conversations";
import { fold } from "./fold";
import { type Found, foundIn } from "./search";

/** The people of a department. */
export interface Department {
  /** What tells it from others: how its name is compared. */
  key: string;
  /** Empty: people without a department. */
  name: string;
  people: readonly Found[];
  /** All of its people are here. */
  whole: boolean;
}

interface Directory {
  departments: readonly Department[];
  waits: boolean;
  error?: unknown;
}

/** As far as it is loaded. Those without a department come last. */
export const directory = signal<Directory>({ departments: [], waits: false });

const size = 200; // people of a page
const pause = 250; // milliseconds between pages, which are many in a large organization: other calls are to come between
const fresh = 300_000; // milliseconds in which it is not loaded anew

const shown = ["display_name", "first_name", "last_name", "username", "title", "department", "avatar", "status", "dnd",
  "dnd_text", "xmlns", "organization_key"];

/** What is being loaded, or was: of which organization, since when, and how far. */
let state: { of: string | undefined; since: number; next?: string; ended: boolean } | undefined;
let running: AbortController | undefined;

/** browse loads the directory, in the background. The function that it returns ends that; the next one goes on. */
export function browse(): () => void {
  const of = within.value;
  const now = performance.now();
  const known = state && state.of === of && now - state.since < fresh ? state : undefined;
  const mine = (running = new AbortController());
  if (!known) directory.value = { departments: [], waits: true };
  state = known ?? { of, since: now, ended: false };
  if (!state.ended) void load(mine.signal, state);
  return () => mine.abort();
}

/** again asks once more after an error. */
export function again(): void {
  if (state && running) void load(running.signal, state);
}

async function load(signal: AbortSignal, of: NonNullable<typeof state>): Promise<void> {
  directory.value = { departments: directory.value.departments, waits: true };
  try {
    for (let first = true; !of.ended; first = false) {
      if (!first) await new Promise((resolve) => setTimeout(resolve, pause));
      if (signal.aborted) return;
      const { results, metadata } = await client.search(
        {
          type: "account", sort: ["department", "display_name"], page_size: size, return_fields: shown,
          ...(of.of && { directory: of.of }), ...(of.next && { continuation: of.next }),
        },
        { signal },
      );
      if (state !== of) return;
      if (metadata.continuation) of.next = metadata.continuation;
      of.ended = metadata.continuation === undefined;
      directory.value = { departments: add(directory.value.departments, foundIn(results), of.ended), waits: !of.ended };
    }
  } catch (error) {
    if (!signal.aborted && state === of) directory.value = { departments: directory.value.departments, waits: false, error };
  }
}

/** add adds people in the order of their departments, of which those without one come first, and are shown last. */
function add(to: readonly Department[], some: readonly Found[], ended: boolean): Department[] {
  const all = new Map(to.map((one) => [one.key, { ...one, whole: true, people: [...one.people] }]));
  let last = to.find(({ whole }) => !whole)?.key;
  for (const found of some) {
    const name = ("department" in found.entity && found.entity.department?.trim()) || "";
    const key = fold(name);
    const known = all.get(key);
    if (known) known.people.push(found);
    else all.set(key, { key, name, people: [found], whole: true });
    last = key;
  }
  const open = !ended && last !== undefined ? all.get(last) : undefined;
  if (open) open.whole = false;
  const without = all.get("");
  if (without) {
    all.delete("");
    all.set("", without);
  }
  return [...all.values()];
}
