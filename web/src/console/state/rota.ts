// Rotas as they are shown and changed.
import type { Body, Reply, Schemas } from "../../client/index";
import { client } from "../../kit/state/session";
import { knows, momentOf, ownZone, readingOf } from "../../kit/zone";
import { time } from "../../text/clock";
import { dates } from "../../text/format";
import { type Named, nameIn, namesOf, personOf } from "./named";

export type Duty = Reply<"getDuty">;

/** A rota, and the names of those whom it names. */
export interface Rota {
  readonly duty: Duty;
  readonly names: ReadonlyMap<string, Named>;
}

/** loadRota loads the rota of a group; null: it has none. */
export async function loadRota({ token, duty, organization_key: organization }: Schemas["Group"]): Promise<Rota | null> {
  if (!duty) return null;
  const rota = await client.getDuty(token);
  const people = rota.people.map(personOf);
  const known = new Set(people.map((one) => one.token));
  // The answer names everybody but those who are always in the group.
  const others = await namesOf(organization, rota.always.filter((one) => !known.has(one)), { groups: false });
  return { duty: rota, names: new Map([...others, ...people.map((one) => [one.token, one] as const)]) };
}

/** A time in which one person is on duty, or nobody is. */
export interface Span {
  readonly from: string;
  readonly to: string;
  /** Empty: nobody is on duty. */
  readonly account: string;
  readonly override: boolean;
}

/** How long the server shows shifts unless it is asked for others. */
const shown = 14 * 24 * 3_600_000;

/** spansOf are the shifts that an answer has, and the times between them in which nobody is on duty. */
export function spansOf({ shifts }: Duty, now: number): Span[] {
  const end = now + shown;
  const spans: Span[] = [];
  let at = now;
  const gap = (until: number) => {
    if (until <= at) return;
    spans.push({ from: new Date(at).toISOString(), to: new Date(until).toISOString(), account: "", override: false });
  };
  for (const shift of shifts) {
    gap(Date.parse(shift.from));
    spans.push(shift);
    at = Math.max(at, Date.parse(shift.to));
  }
  gap(end);
  return spans;
}

/** inZone is a time as the clock of a zone shows it; by that of UTC, which it says, where the browser has no such zone. */
export function inZone(at: string, zone: string): string {
  return dates({
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
    ...(knows(zone) ? { timeZone: zone } : { timeZone: "UTC", timeZoneName: "short" }),
  }).format(new Date(at));
}

/** What somebody sets of a rota. Overrides are not among it: they are set shift by shift. */
export interface Draft {
  readonly timezone: string;
  /** Who take turns; null is nobody's turn. */
  readonly turns: readonly Turn[];
  /** When the first turn begins, as the clock of the zone shows it. */
  readonly start: string;
  readonly hours: number;
  readonly always: readonly Named[];
  readonly fallback: readonly Named[];
}

export interface Turn {
  readonly key: number;
  readonly who: Named | null;
}

/** What the interface takes at most. */
export const mostTurns = 100;
export const mostFallback = 50;
export const longestTurn = 366 * 24; // hours

const begin = "08:00"; // when turns change hands, until somebody says otherwise
const hours = 24;

/** draftOf is what a rota is before somebody changes it. */
export function draftOf(rota: Rota | null): Draft {
  if (!rota) {
    const timezone = ownZone();
    return { timezone, turns: [], start: today(timezone), hours, always: [], fallback: [] };
  }
  const { duty: { timezone, rotation, always, fallback }, names } = rota;
  const of = (token: string) => nameIn(names, token);
  return {
    timezone,
    turns: (rotation?.accounts ?? []).map((token, key) => ({ key, who: token === "" ? null : of(token) })),
    start: rotation ? reading(rotation.start, timezone) : today(timezone),
    hours: rotation?.hours ?? hours,
    always: always.map(of),
    fallback: fallback.map(of),
  };
}

function today(zone: string): string {
  return `${reading(new Date(time()).toISOString(), zone).slice(0, 10)}T${begin}`;
}

function reading(at: string, zone: string): string {
  return readingOf(new Date(at), knows(zone) ? zone : "UTC");
}

/**
 * rotaOf is what is set: a draft, and what is kept of the rota that there is. Overrides of who has left cannot be set
 * again. A start that nobody has changed stays the time that it is: the clock may show it twice in a night.
 */
export function rotaOf(draft: Draft, before: Duty | undefined): Body<"setDuty"> {
  const { timezone, turns, hours, always, fallback } = draft;
  const rotation = before?.rotation;
  const same = rotation !== undefined && before?.timezone === timezone && reading(rotation.start, timezone) === draft.start;
  return {
    timezone,
    ...(turns.length > 0 && {
      rotation: {
        accounts: turns.map(({ who }) => who?.token ?? ""),
        start: same ? rotation.start : momentOf(draft.start, timezone).toISOString(),
        hours,
      },
    }),
    overrides: (before?.overrides ?? []).filter(({ account }) => account !== ""),
    always: always.map(({ token }) => token),
    fallback: fallback.map(({ token }) => token),
  };
}

/** kept is how many of the overrides that are not over stay, and how many are of who has left. */
export function kept({ overrides }: Duty): { kept: number; lost: number } {
  const later = overrides.filter(({ to }) => Date.parse(to) > time());
  const lost = later.filter(({ account }) => account === "").length;
  return { kept: later.length - lost, lost };
}
