// The guides of docs/api, each of which is loaded when somebody reads it.
import entries from "guides:contents";
import { vendor } from "./document";
import type { Guide, GuideEntry, Notes, Section } from "./tree";

export const guides: readonly GuideEntry[] = entries;

/** guideAt finds a guide by its name in addresses. */
export function guideAt(name: string): GuideEntry | undefined {
  return guides.find((one) => one.name === name);
}

export async function loadGuide({ load }: GuideEntry): Promise<Guide> {
  return named((await load()).default);
}

/** loadSections loads what the search looks through. */
export async function loadSections(): Promise<readonly Section[]> {
  return named((await import("guides:sections")).default);
}

/** loadNotes loads what the guides say of calls and errors. */
export async function loadNotes(): Promise<Notes> {
  return named((await import("guides:notes")).default);
}

/** named puts the vendor's names in, of which the guides write the usual ones. */
function named<T>(part: T): T {
  const { prefix, namespace } = vendor();
  if (prefix === "TT" && namespace === "tigertext") return part;
  const put = (words: string) => words.replaceAll("TT-X-", `${prefix}-X-`).replaceAll("tigertext:", `${namespace}:`);
  return JSON.parse(JSON.stringify(part), (_, value: unknown) => (typeof value === "string" ? put(value) : value)) as T;
}
