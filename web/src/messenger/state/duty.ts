// Rotas without a view: days and hours as the clock of a rota's zone shows them.
import type { Reply } from "../../client/index";
import { session } from "../../kit/state/session";
import { momentOf, readingOf } from "../../kit/zone";
import { time } from "../../text/clock";
import { administers, type Group } from "./groups";

export type Duty = Reply<"getDuty">;
export type Shift = Duty["shifts"][number];
export type Override = Duty["overrides"][number];

/** How many days are shown: those that the interface tells unless it is asked for others. */
export const days = 14;
const hour = 3_600_000;

/** shown is the span that has all days which are shown, in whichever zone. */
export function shown(): { from: string; to: string } {
  const now = time();
  return { from: new Date(now - 26 * hour).toISOString(), to: new Date(now + (days + 1) * 24 * hour).toISOString() };
}

/** mayRule tells whether one may change the rota of a group, in it or not. */
export function mayRule(group: Group): boolean {
  return administers(group) || group.created_by === session.value?.account.token;
}

/** hoursOf are the hours of the days from a time on, each as the time at which its hour begins. */
export function hoursOf(from: Date, zone: string): Date[][] {
  const first = readingOf(from, zone).slice(0, 10);
  return Array.from({ length: days }, (_, n) => {
    const day = new Date(Date.parse(`${first}T00:00:00Z`) + n * 24 * hour).toISOString().slice(0, 10);
    return Array.from({ length: 24 }, (_, h) => momentOf(`${day}T${String(h).padStart(2, "0")}:00`, zone));
  });
}

/** onDutyAt is who has the duty at a time. */
export function onDutyAt(shifts: readonly Shift[], at: Date): Shift | undefined {
  return shifts.find(({ from, to }) => Date.parse(from) <= at.getTime() && at.getTime() < Date.parse(to));
}

/** nextTurn is when somebody's duty begins or ends next; undefined where none does. */
export function nextTurn(shifts: readonly Shift[]): number | undefined {
  const now = time();
  const turns = shifts.flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)]).filter((at) => at > now);
  return turns.length > 0 ? Math.min(...turns) : undefined;
}

/** nameIn is the name of somebody whom a rota names. */
export function nameIn(duty: Duty, token: string): string {
  return duty.people.find((one) => one.token === token)?.display_name ?? "";
}

/** placeOf is where a rota has an override; -1 where it does not have it any more. */
export function placeOf({ overrides }: Duty, one: Override): number {
  return overrides.findIndex(({ from, to, account }) => from === one.from && to === one.to && account === one.account);
}

/** overridden is the rota with one more override, or without one, as it is set. Those of who has left go. */
export function overridden(duty: Duty, change: { add?: Override; without?: number }): {
  timezone: string;
  rotation?: NonNullable<Duty["rotation"]>;
  overrides: Duty["overrides"];
  always: string[];
  fallback: string[];
} {
  const { timezone, rotation, overrides, always, fallback } = duty;
  const kept = overrides.filter(({ account }, place) => account !== "" && place !== change.without);
  return {
    timezone, always, fallback,
    overrides: change.add ? [...kept, change.add] : kept,
    ...(rotation && { rotation }),
  };
}
