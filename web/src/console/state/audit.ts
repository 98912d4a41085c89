// The audit log: read in pages, followed as it grows, and verified by its own hashes.
import type { Schemas } from "../../client/index";
import { mostEntries } from "../../kit/limits";
import { client, resume } from "../../kit/state/session";
import { elevated } from "./elevation";
import { administers } from "./rights";

export type Entry = Schemas["AuditEntry"];

/** Which entries a page has. */
type Asked = NonNullable<Parameters<typeof client.getAuditPage>[0]>;

/** readPage reads some of an organization's log, or, without one, of the platform's, with the names in it. */
export function readPage(organization: string | undefined, asked: Asked): Promise<Schemas["AuditPage"]> {
  return organization ? client.getOrganizationAuditPage(organization, asked) : client.getAuditPage(asked);
}

/** whole reads the log from its beginning, in its order, some at a time. */
export async function* whole(organization: string | undefined, signal: AbortSignal): AsyncGenerator<Entry[]> {
  for (let after = 0; ; ) {
    const asked = { after, limit: mostEntries, signal };
    const some = await (organization ? client.getOrganizationAudit(organization, asked) : client.getAudit(asked));
    if (some.length > 0) yield some;
    if (some.length < mostEntries) return;
    after = some.at(-1)?.number ?? after;
  }
}

/** Verified is what became of a verification. */
export interface Verified {
  /** How many entries were looked at, and the time of the first. */
  entries: number;
  since: string;
  /** The first that does not follow from the one before; undefined where all do. */
  wrong: Entry | undefined;
}

/** verify follows the log from hash to hash. */
export async function verify(
  organization: string | undefined, signal: AbortSignal, onProgress: (entries: number) => void,
): Promise<Verified> {
  let entries = 0;
  let since = "";
  let before: Entry | undefined;
  for await (const some of whole(organization, signal)) {
    for (const entry of some) {
      entries++;
      since ||= entry.time;
      if (!(await follows(entry, before))) return { entries, since, wrong: entry };
      before = entry;
    }
    onProgress(entries);
  }
  return { entries, since, wrong: undefined };
}

/** follows tells whether an entry follows from the one before. Where the log was trimmed, the first follows from nothing. */
async function follows({ hash, ...entry }: Entry, before: Entry | undefined): Promise<boolean> {
  if (before === undefined && entry.number > 1) return true;
  if (entry.number !== (before?.number ?? 0) + 1) return false;
  delete entry.old; // names lie beside a line, which has a hash of them: so they can be erased
  delete entry.new;
  const line = JSON.stringify(entry).replace(/[\u2028\u2029]/g, (c) => (c === "\u2028" ? "\\u2028" : "\\u2029"));
  const words = `signet audit 1\n${before?.hash ?? ""}\n${line}\n`;
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(words));
  return hash === [...new Uint8Array(sum)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Follower is told what comes into the log. */
export interface Follower {
  /** What comes from now on is told: what was there before is to be read. */
  onOpen: () => void;
  onEntry: (entry: Entry) => void;
  /** Nothing more will be told: the right to read has ended. */
  onEnd: () => void;
}

const pause = 3000; // milliseconds before a lost connection is made again

/**
 * follow tells each entry that is made from now on, until it is stopped. A connection that is lost is made again only
 * where the log may still be read: an EventSource by itself would be refused once more, in this very log.
 */
export function follow(organization: string | undefined, { onOpen, onEntry, onEnd }: Follower): () => void {
  const address = organization ? `/v2/organization/${organization}/audit` : "/v2/audit";
  let last: number | undefined;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  const again = async () => {
    await resume();
    if (stopped) return;
    if (elevated() && administers(organization)) open();
    else onEnd();
  };
  const open = () => {
    const own = new EventSource(last === undefined ? address : `${address}?after=${last}`);
    source = own;
    own.onopen = () => last === undefined && onOpen();
    own.onmessage = ({ data }) => {
      const { event } = JSON.parse(String(data)) as { event: Record<string, Entry> };
      for (const [kind, entry] of Object.entries(event)) {
        if (!kind.endsWith(":iq:audit")) continue;
        last = entry.number;
        onEntry(entry);
      }
    };
    own.onerror = () => {
      const refused = own.readyState === EventSource.CLOSED;
      own.close();
      if (refused) onEnd();
      else timer = setTimeout(() => void again(), pause);
    };
  };
  open();
  return () => {
    stopped = true;
    source?.close();
    clearTimeout(timer);
  };
}
