// Which entries of the audit log are looked for: what the address says after its question mark, so that a view can be
// sent to somebody else, and stays after a reload.
import type { Schemas } from "../../client/index";
import { today } from "../../text/clock";
import { named, reads } from "./actions";

type Entry = Schemas["AuditEntry"];

/** "" is any. */
export interface AuditFilter {
  /** By whom, or on whom: a token, or another address. */
  readonly account: string;
  /** An action, or the name of all of a subject. */
  readonly action: string;
  readonly outcome: "" | "ok" | "refused";
  /** today, 7d, 30d, a month such as 2026-03, or dates: between the two that follow, if they are there. */
  readonly period: string;
  readonly since: string;
  readonly until: string;
  /** Also what was only read. */
  readonly reads: boolean;
}

export const noFilter: AuditFilter = { account: "", action: "", outcome: "", period: "", since: "", until: "", reads: false };

const month = /^\d{4}-(0[1-9]|1[0-2])$/;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** parseFilter reads a filter of an address. What it does not know filters nothing. */
export function parseFilter(query: URLSearchParams): AuditFilter {
  const of = (name: string) => query.get(name) ?? "";
  const fits = (name: string, form: RegExp) => (form.test(of(name)) ? of(name) : "");
  const outcome = of("outcome");
  return {
    account: of("account"),
    action: fits("action", /^[a-zA-Z.]+$/),
    outcome: outcome === "ok" || outcome === "refused" ? outcome : "",
    period: /^(today|7d|30d|dates)$/.test(of("period")) ? of("period") : fits("period", month),
    since: fits("since", day),
    until: fits("until", day),
    reads: of("reads") === "true",
  };
}

/** formatFilter is what an address has of a filter, with its question mark; nothing where all is shown. */
export function formatFilter(filter: AuditFilter): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : "";
}

/** dayOf is when a day of a date field begins, where the computer is. */
function dayOf(date: string): Date | undefined {
  const [year = 0, number = 0, of = 0] = date.split("-").map(Number);
  const begin = new Date(year, number - 1, of);
  return date === "" || Number.isNaN(begin.getTime()) ? undefined : begin;
}

/** days is when so many days begin before a day, or after it. */
function days(by: number, from = new Date(today.value)): Date {
  return new Date(from.getFullYear(), from.getMonth(), from.getDate() + by);
}

/** span is when a filter begins, and before when it ends. */
function span({ period, since, until }: AuditFilter): { since?: Date | undefined; until?: Date | undefined } {
  if (period === "today") return { since: days(0) };
  if (period === "7d") return { since: days(-6) };
  if (period === "30d") return { since: days(-29) };
  if (period === "dates") {
    const last = dayOf(until);
    return { since: dayOf(since), until: last && days(1, last) };
  }
  if (!month.test(period)) return {};
  const [year = 0, number = 0] = period.split("-").map(Number);
  return { since: new Date(year, number - 1, 1), until: new Date(year, number, 1) };
}

/** showsReads tells whether a filter shows what was only read: also where that is all that it asks for. */
export function showsReads(filter: AuditFilter): boolean {
  return filter.reads || named(filter.action).some(reads);
}

/** What a call asks for by a filter. */
export interface Asked {
  account?: string;
  action?: string;
  outcome?: string;
  since?: string;
  until?: string;
  reads?: "false";
}

/** asked is what a call asks for by a filter. */
export function asked(filter: AuditFilter): Asked {
  const { since, until } = span(filter);
  const action = named(filter.action).join();
  return {
    ...(filter.account && { account: filter.account }),
    ...(action && { action }),
    ...(filter.outcome && { outcome: filter.outcome }),
    ...(since && { since: since.toISOString() }),
    ...(until && { until: until.toISOString() }),
    ...(!showsReads(filter) && { reads: "false" as const }),
  };
}

/** fits tells whether an entry that came by itself is one that a filter wants, which names an account by its token. */
export function fits(entry: Entry, filter: AuditFilter): boolean {
  const { since, until } = span(filter);
  const at = Date.parse(entry.time);
  const wanted = named(filter.action);
  const ok = entry.outcome === "ok";
  return (
    (filter.account === "" || [entry.account, entry.on_account].includes(filter.account)) &&
    (wanted.length === 0 || wanted.includes(entry.action)) &&
    (filter.outcome === "" || (filter.outcome === "ok") === ok) &&
    (since === undefined || at >= since.getTime()) &&
    (until === undefined || at < until.getTime()) &&
    (showsReads(filter) || !ok || !reads(entry.action))
  );
}

/** lastMonths are some months, this one first, as a filter names them. */
export function lastMonths(n: number): string[] {
  const first = new Date(today.value);
  return Array.from({ length: n }, (_, back) => {
    const at = new Date(first.getFullYear(), first.getMonth() - back, 1);
    return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, "0")}`;
  });
}
