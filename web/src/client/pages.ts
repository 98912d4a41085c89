import type { Administration, AuditOptions } from "./administration.js";
import type { CallOptions } from "./transport.js";
import type { Body, Query, Reply, Schemas, SignetEvent } from "./types.js";

type Listed =
  | "getConversations"
  | "listOrganizations"
  | "listMembers"
  | "listGroups"
  | "listRequests"
  | "listOrganizationKeys"
  | "listAllKeys"
  | "listQueues"
  | "listAllQueues"
  | "listUndelivered"
  | "listMessages";
type Filters<O extends Listed> = CallOptions & Omit<Query<O>, "continuation">;
type AuditFilters = Omit<AuditOptions, "before">;
type Entries<T> = AsyncGenerator<T, void, void>;

/**
 * Pages lists entry by entry what the interface lists in pages. A page is asked for when its first
 * entry is wanted. What is made or goes meanwhile makes it neither skip nor repeat another entry.
 */
export class Pages {
  constructor(private readonly client: Administration) {}

  /** Conversations, newest first. */
  getConversations(options?: Filters<"getConversations">): Entries<Schemas["Conversation"]> {
    return continued((page) => this.client.getConversations({ ...options, ...page }));
  }

  /**
   * The messages of a conversation: back from the newest, or from before a `sort_number`; or, with
   * `after`, what came after one, oldest first, as after a while offline. With `notes` there are
   * also notes of what changed of a group.
   */
  getHistory(
    entity: string,
    options: CallOptions & Query<"getHistory"> & { notes: true },
  ): Entries<Schemas["HistoryEntry"]>;
  getHistory(entity: string, options?: CallOptions & Query<"getHistory"> & { notes?: false }): Entries<Message>;
  async *getHistory(
    entity: string,
    options: CallOptions & Query<"getHistory"> = {},
  ): AsyncGenerator<Schemas["HistoryEntry"]> {
    for (let { before, after, notes, ...rest } = options; ; ) {
      const place = after === undefined ? { ...rest, before } : { ...rest, after };
      const { results, metadata } = notes
        ? await this.client.getHistory(entity, { ...place, notes: true })
        : await this.client.getHistory(entity, place);
      yield* results;
      const last = results.at(-1);
      if (!metadata.more || !last) return;
      if (after === undefined) before = last.sort_number;
      else after = last.sort_number;
    }
  }

  /** The queue, oldest first, until its end. It acknowledges nothing. */
  async *getEvents(options: CallOptions & { after?: string; limit?: number } = {}): Entries<SignetEvent> {
    for (let { after, ...rest } = options; ; ) {
      const events = await this.client.getEvents(after === undefined ? rest : { ...rest, after });
      yield* events;
      after = events.at(-1)?.id;
      if (after === undefined) return;
    }
  }

  /** Users and groups that match. */
  search(criteria: Omit<Body<"search">, "continuation" | "results_format">, options?: CallOptions): Entries<Found> {
    return continued(async (page) => {
      const { results, metadata } = await this.client.search({ ...criteria, ...page }, options);
      return { results: results as Found[], metadata };
    });
  }

  /** Messages that match, newest first. */
  searchMessages(
    criteria: Omit<Body<"searchMessages">, "continuation">,
    options?: CallOptions,
  ): Entries<Reply<"searchMessages">["results"][number]> {
    return continued((page) => this.client.searchMessages({ ...criteria, ...page }, options));
  }

  listOrganizations(options?: Filters<"listOrganizations">): Entries<Schemas["ListedOrganization"]> {
    return continued((page) => this.client.listOrganizations({ ...options, ...page }));
  }

  listMembers(organization: string, options?: Filters<"listMembers">): Entries<Schemas["Member"]> {
    return continued((page) => this.client.listMembers(organization, { ...options, ...page }));
  }

  listGroups(organization: string, options?: Filters<"listGroups">): Entries<Schemas["ListedGroup"]> {
    return continued((page) => this.client.listGroups(organization, { ...options, ...page }));
  }

  listRequests(organization: string, options?: Filters<"listRequests">): Entries<Schemas["Request"]> {
    return continued((page) => this.client.listRequests(organization, { ...options, ...page }));
  }

  listOrganizationKeys(organization: string, options?: Filters<"listOrganizationKeys">): Entries<Schemas["ListedKey"]> {
    return continued((page) => this.client.listOrganizationKeys(organization, { ...options, ...page }));
  }

  listAllKeys(options?: Filters<"listAllKeys">): Entries<Schemas["ListedKey"]> {
    return continued((page) => this.client.listAllKeys({ ...options, ...page }));
  }

  listQueues(organization: string, options?: Filters<"listQueues">): Entries<Schemas["Queue"]> {
    return continued((page) => this.client.listQueues(organization, { ...options, ...page }));
  }

  listAllQueues(options?: Filters<"listAllQueues">): Entries<Schemas["Queue"]> {
    return continued((page) => this.client.listAllQueues({ ...options, ...page }));
  }

  listUndelivered(organization: string, options?: Filters<"listUndelivered">): Entries<Schemas["Undelivered"]> {
    return continued((page) => this.client.listUndelivered(organization, { ...options, ...page }));
  }

  listMessages(organization: string, options?: Filters<"listMessages">): Entries<Schemas["ListedMessage"]> {
    return continued((page) => this.client.listMessages(organization, { ...options, ...page }));
  }

  /** The audit log of an organization, newest first; with `after` in its order, to its end. */
  getOrganizationAudit(organization: string, options: AuditFilters = {}): Entries<Schemas["AuditEntry"]> {
    return numbered((place) => this.client.getOrganizationAuditPage(organization, { ...options, ...place }), options);
  }

  /** The audit log of the platform, likewise. */
  getAudit(options: AuditFilters = {}): Entries<Schemas["AuditEntry"]> {
    return numbered((place) => this.client.getAuditPage({ ...options, ...place }), options);
  }
}

type Message = Schemas["Message"];
type Found = Schemas["SearchResult"];

async function* continued<T>(
  ask: (page: { continuation?: string }) => Promise<{ results: T[]; metadata: { continuation?: string } }>,
): Entries<T> {
  for (let page: { continuation?: string } = {}; ; ) {
    const { results, metadata } = await ask(page);
    yield* results;
    if (metadata.continuation === undefined) return;
    page = { continuation: metadata.continuation };
  }
}

async function* numbered(
  ask: (place: { before?: number; after?: number; limit?: number }) => Promise<Schemas["AuditPage"]>,
  { after }: AuditFilters,
): Entries<Schemas["AuditEntry"]> {
  // That the log is read is an entry of it too: the end is the newest entry there was at first.
  let end = Infinity;
  if (after !== undefined) {
    const { results, metadata } = await ask({ after: undefined, limit: 1 });
    end = results[0]?.number ?? Number(metadata.continuation ?? 0);
  }
  for (let place = {}; ; ) {
    const { results, metadata } = await ask(place);
    yield* results.filter(({ number }) => number <= end);
    if (metadata.continuation === undefined) return;
    const next = Number(metadata.continuation);
    if (after !== undefined && next >= end) return;
    place = after === undefined ? { before: next } : { after: next };
  }
}
