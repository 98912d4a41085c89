import { useEffect, useState } from "preact/hooks";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { clock } from "../text/format";
import { text } from "../text/text";
import { nameIn, onDutyAt } from "./state/duty";
import type { Group } from "./state/groups";

/** OnDuty says to whom one writes in a group with a rota: who has the duty now, and until when. */
export function OnDuty({ group }: { group: Group }) {
  const [turn, setTurn] = useState(0); // of the hand-overs that were seen
  const members = group.members?.join() ?? group.num_members;
  const { value } = useLoaded(() => client.in(group.organization_key).getDuty(group.token), [group.token, members, turn]);
  const now = value && onDutyAt(value.shifts, new Date());
  const end = now && Date.parse(now.to);
  useEffect(() => {
    if (end === undefined) return undefined;
    const next = setTimeout(() => setTurn((n) => n + 1), Math.min(Math.max(end - Date.now(), 0) + 1_000, 2 ** 31 - 1));
    return () => clearTimeout(next);
  }, [end]);
  if (!value) return null;
  const { on_duty: on, fallback } = value;
  const names = fallback.map((token) => nameIn(value, token)).filter(Boolean).join(", ");
  const said =
    on[0] && now
      ? text("onDutyUntil", { name: on[0].display_name, time: clock(now.to) })
      : names
        ? text("nobodyOnDutyBut", { names })
        : text("nobodyOnDuty");
  return <p class="onDuty" role="status" dir="auto">{said}</p>;
}
