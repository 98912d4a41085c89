import { useEffect, useRef, useState } from "preact/hooks";
import type { Message, Schemas } from "../client/index";
import { client } from "../kit/state/session";
import { useBusy } from "../kit/useBusy";
import { useRefusal } from "../kit/useRefusal";
import { moment } from "../text/format";
import { text } from "../text/text";
import { conversations } from "./state/conversations";
import { escalations, round } from "./state/escalations";
import { keyOf } from "./state/key";
import { nameOf, need } from "./state/people";

type State = Schemas["Escalation"];

const ends = {
  open: "escalation.open", read: "escalation.read", confirmed: "escalation.confirmed", recalled: "recalled",
  cancelled: "escalation.cancelled", exhausted: "escalation.exhausted",
} as const;

/** groupOf is the name of a group that one is in, in the organization of a message. */
function groupOf(message: Message, token: string): string | undefined {
  const entity = conversations.value.get(keyOf(message.recipient_organization, token))?.entity;
  return entity && "num_members" in entity ? entity.display_name : undefined;
}

type Step = State["steps"][number];
type Way = keyof typeof stands;

const stands = {
  sent: { class: "done", word: "New" },
  due: { class: "due", word: "escalation.due" },
  leftOut: { class: "left-out", word: "escalation.leftOut" },
} as const;

/** wayOf tells how far a step came. One that was done when nobody was there any more has sent nothing. */
function wayOf({ done_time, sent }: Step, { state }: State): Way {
  if (done_time) return sent.length > 0 ? "sent" : "leftOut";
  return state === "open" ? "due" : "leftOut";
}

/** Stand says how far a step came, and when. */
function Stand({ of: { due_time, done_time }, way }: { of: Step; way: Way }) {
  const time = way === "sent" ? done_time : way === "due" ? due_time : undefined;
  return (
    <span>
      {text(stands[way].word)} {time && <time dateTime={time}>{moment(time)}</time>}
    </span>
  );
}

/** Escalation draws the way of an own message that is sent on while nobody comes, as a line with its times. */
export function Escalation({ message }: { message: Message }) {
  const [state, setState] = useState<State>();
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  // An event that tells more is a reason to ask again.
  const told = escalations.value.get(message.message_id);
  const asked = useRef(0);
  const ask = async () => {
    const number = ++asked.current; // an older answer may come later
    try {
      const got = await client.getEscalation(message.message_id);
      if (number !== asked.current) return;
      for (const token of got.steps.flatMap(({ to }) => to)) {
        if (groupOf(message, token) === undefined) need(token, message.recipient_organization);
      }
      refuse(undefined);
      setState(got);
    } catch (error) {
      if (number === asked.current) refuse(error);
    }
  };
  useEffect(() => void ask(), [message, told, round.value]);
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!state) return null;
  const stop = async () => {
    try {
      await client.cancelEscalation(message.message_id);
      await ask();
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <section class="escalation">
      <h3>{text("escalation")}</h3>
      <ol aria-label={text("escalation")}>
        <li class="done">
          <span>{text("New")}</span> <time dateTime={message.created_time}>{moment(message.created_time)}</time>
        </li>
        {state.steps.map((one) => (
          <li key={one.step} class={stands[wayOf(one, state)].class}>
            <bdi>{one.to.map((token) => groupOf(message, token) ?? nameOf(token) ?? text("somebody")).join(", ")}</bdi>{" "}
            <Stand of={one} way={wayOf(one, state)} />
          </li>
        ))}
        <li class={state.ended_time ? "done" : "due"}>
          <span>{text(ends[state.state])}</span>{" "}
          {state.ended_time && <time dateTime={state.ended_time}>{moment(state.ended_time)}</time>}
        </li>
      </ol>
      {state.state === "open" && (
        <button type="button" aria-disabled={busy} onClick={() => void run(stop)}>
          {text("escalation.stop")}
        </button>
      )}
    </section>
  );
}
