import { useEffect, useState } from "preact/hooks";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { midnight, time, today } from "../text/clock";
import { clock, minute } from "../text/format";
import { text } from "../text/text";
import { nameIn, nextTurn, onDutyAt } from "./state/duty";
import type { Group } from "./state/groups";

/** until is when a duty ends: today the time says it, else it has the date. */
function until(end: string): string {
  return midnight(new Date(end)) === today.value ? clock(end) : minute(end);
}

/** OnDuty says to whom one writes in a group with a rota: who has the duty now, and until when. */
export function OnDuty({ group }: { group: Group }) {
  const [turn, setTurn] = useState(0); // of the hand-overs that were seen
  const members = group.members?.join() ?? group.num_members;
  const { value } = useLoaded(() => client.in(group.organization_key).getDuty(group.token), [group.token, members, turn]);
  const now = value && onDutyAt(value.shifts, new Date(time()));
  const next = value && nextTurn(value.shifts);
  useEffect(() => {
    if (next === undefined) return undefined;
    const timer = setTimeout(() => setTurn((n) => n + 1), Math.min(Math.max(next - time(), 0) + 1_000, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, [next, turn]);
  if (!value) return null;
  const { on_duty: on, fallback } = value;
  const names = fallback.map((token) => nameIn(value, token)).filter(Boolean).join(", ");
  const said =
    on[0] && now
      ? text("duty.until", { name: on[0].display_name, time: until(now.to) })
      : names
        ? text("duty.noneBut", { names })
        : text("duty.none");
  return <p class="onDuty" role="status" dir="auto">{said}</p>;
}
