// The audit log: read in pages, followed as it grows, and checked against its own hashes.
import type { Schemas } from "../../client/index";
import { mostEntries } from "../../kit/limits";
import { client } from "../../kit/state/session";

export type Entry = Schemas["AuditEntry"];

/** Which part of the log is asked for. */
export interface Asked {
  before?: number;
  after?: number;
  limit?: number;
  action?: string;
  since?: string;
  until?: string;
}

/** read asks for entries of an organization's log, or, without one, of the platform's. */
export function read(organization: string | undefined, asked: Asked): Promise<Entry[]> {
  return organization ? client.getOrganizationAudit(organization, asked) : client.getAudit(asked);
}

/** follow tells each entry that is made from now on, until it is stopped, or `onEnd` says that the right to read has ended. */
export function follow(organization: string | undefined, onEntry: (entry: Entry) => void, onEnd: () => void): () => void {
  const source = new EventSource(organization ? `/v2/organization/${organization}/audit` : "/v2/audit");
  source.onmessage = ({ data }) => {
    const { event } = JSON.parse(String(data)) as { event: Record<string, Entry> };
    for (const [kind, entry] of Object.entries(event)) if (kind.endsWith(":iq:audit")) onEntry(entry);
  };
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) onEnd();
  };
  return () => source.close();
}

/** all reads the whole log, in its order. */
export async function all(organization: string | undefined, onProgress: (n: number) => void): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const page = await read(organization, { after: entries.at(-1)?.number ?? 0, limit: mostEntries });
    entries.push(...page);
    onProgress(entries.length);
    if (page.length < mostEntries) return entries;
  }
}

/** firstWrong is the number of the first entry whose hash does not follow from what is before it; undefined where all do. */
export async function firstWrong(entries: readonly Entry[]): Promise<number | undefined> {
  // What was before the first is no longer there, where the log was trimmed.
  let before = entries[0]?.number === 1 ? "" : undefined;
  for (const { hash, ...entry } of entries) {
    if (before !== undefined) {
      delete entry.old; // names lie beside a line, which has a hash of them: so they can be erased
      delete entry.new;
      const line = JSON.stringify(entry).replace(/[\u2028\u2029]/g, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"));
      const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`signet audit 1\n${before}\n${line}\n`));
      const hex = [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      if (hex !== hash) return entry.number;
    }
    before = hash;
  }
  return undefined;
}
