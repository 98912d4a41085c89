// What a view of the audit log shows: the entries that a filter wants, the newest first, and the names in them.
import { signal } from "@preact/signals";
import { describe } from "../../kit/describe";
import { mostEntries } from "../../kit/limits";
import { session } from "../../kit/state/session";
import { text } from "../../text/text";
import { type Entry, follow, readPage } from "./audit";
import { asked, type AuditFilter, fits } from "./auditFilter";
import { outcome, plain, type Reader, sentence } from "./sentence";

const pageSize = 100;
const together = 300; // milliseconds in which entries are taken in at once

export class AuditLog {
  /** Undefined until the first are there. */
  readonly entries = signal<readonly Entry[] | undefined>(undefined);
  /** By token: of all that the entries name and the caller may see. */
  readonly names = signal<Readonly<Record<string, string>>>({});
  /** There are older ones. */
  readonly more = signal(false);
  readonly busy = signal(false);
  /** In the language of the moment at which it is read. */
  readonly problem = signal<() => string>();
  /** What has come last by itself, in words, for who does not see it. */
  readonly heard = signal("");

  readonly #organization: string | undefined;
  readonly #filter: AuditFilter;
  #next: number | undefined;
  #turn = 0; // an answer to what is not wanted any more counts for nothing
  #loading: Promise<void> = Promise.resolve();
  #come: Entry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #looked = new Set<string>(); // tokens whose names were looked for: what has none is gone
  readonly #left = new AbortController();

  constructor(organization: { token: string; name: string } | undefined, filter: AuditFilter) {
    this.#organization = organization?.token;
    this.#filter = filter;
    const account = session.value?.account;
    this.names.value = {
      ...(account && { [account.token]: account.display_name }), ...(organization && { [organization.token]: organization.name }),
    };
  }

  /** Who reads. */
  get reader(): Reader {
    return { names: this.names.value, operator: session.value?.operator ?? false };
  }

  /** load reads the newest entries, in place of those that are there. */
  load(): void {
    this.#loading = this.#read(undefined, []);
  }

  /** older reads the next older ones. */
  older(): void {
    if (!this.busy.value && this.#next !== undefined) this.#loading = this.#read(this.#next, this.entries.value ?? []);
  }

  /** #read reads until there is something: the server looks for a bounded time, and may find nothing in it. */
  async #read(from: number | undefined, known: readonly Entry[]): Promise<void> {
    const turn = ++this.#turn;
    this.busy.value = true;
    this.problem.value = undefined;
    try {
      let next = from;
      let found: Entry[];
      do {
        const page = await readPage(this.#organization, {
          ...asked(this.#filter), limit: pageSize, signal: this.#left.signal, ...(next !== undefined && { before: next }),
        });
        if (turn !== this.#turn) return;
        found = page.results;
        this.#know(found, page.names);
        next = page.metadata.continuation === undefined ? undefined : Number(page.metadata.continuation);
      } while (found.length === 0 && next !== undefined);
      this.#next = next;
      this.more.value = next !== undefined;
      this.entries.value = merged(known, found);
    } catch (error) {
      if (turn === this.#turn) this.problem.value = () => describe(error);
    } finally {
      if (turn === this.#turn) this.busy.value = false;
    }
  }

  #know(entries: readonly Entry[], names: Readonly<Record<string, string>>): void {
    for (const token of entries.flatMap(tokens)) this.#looked.add(token);
    this.names.value = { ...this.names.value, ...names };
  }

  /** all reads all entries that the filter wants, the newest first. */
  async all(onProgress: (entries: number) => void): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let next: number | undefined; ; ) {
      const page = await readPage(this.#organization, {
        ...asked(this.#filter), limit: mostEntries, signal: this.#left.signal, ...(next !== undefined && { before: next }),
      });
      this.#know(page.results, page.names);
      entries.push(...page.results);
      onProgress(entries.length);
      if (page.metadata.continuation === undefined) return entries;
      next = Number(page.metadata.continuation);
    }
  }

  /** follow takes in what comes, until it is stopped. */
  follow(onEnd: () => void): () => void {
    return follow(this.#organization, {
      onOpen: () => this.load(),
      onEntry: (entry) => {
        if (!fits(entry, this.#filter)) return;
        this.#come.push(entry);
        this.#timer ??= setTimeout(() => void this.#take(), together);
      },
      onEnd,
    });
  }

  async #take(): Promise<void> {
    this.#timer = undefined;
    const fresh = this.#come.splice(0);
    try {
      await this.#loading;
      await this.#name(fresh);
    } catch (error) {
      if (!this.#left.signal.aborted) this.problem.value = () => describe(error);
      return;
    }
    const newest = fresh.at(-1);
    if (!newest) return;
    // News also where it is shown already: it may have been made before the page was read that watching begins with.
    this.entries.value = merged(this.entries.value ?? [], fresh);
    this.heard.value =
      fresh.length > 1
        ? text("console.newEntries", { n: fresh.length })
        : `${plain(sentence(newest, this.reader))} ${outcome(newest)}`;
  }

  /** #name looks for names of what fresh entries name. That is a reading of the log, and so a fresh entry itself: of known names. */
  async #name(fresh: readonly Entry[]): Promise<void> {
    const lacking = fresh.flatMap(tokens).some((token) => !(token in this.names.value) && !this.#looked.has(token));
    const [first] = fresh;
    const last = fresh.at(-1);
    if (!lacking || !first || !last) return;
    const limit = Math.min(mostEntries, last.number - first.number + 1);
    // Nobody is asked for a password because of something that came by itself.
    const asked = { after: first.number - 1, limit, signal: this.#left.signal, elevate: false };
    this.#know(fresh, (await readPage(this.#organization, asked)).names);
  }

  /** close ends what is under way. */
  close(): void {
    this.#turn++;
    clearTimeout(this.#timer);
    this.#left.abort();
  }
}

/** merged are entries, each once, the newest first. */
function merged(known: readonly Entry[], more: readonly Entry[]): Entry[] {
  const all = new Map([...known, ...more].map((entry) => [entry.number, entry]));
  return [...all.values()].sort((a, b) => b.number - a.number);
}

/** tokens are those of all that an entry names. */
function tokens({ account, on_account, on_group, on_organization }: Entry): string[] {
  return [account, on_account, on_group, on_organization].filter((token) => token !== undefined);
}
