import { useEffect, useRef } from "preact/hooks";
import type { Message } from "../client/index";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { nameOf, need } from "./state/people";
import * as statuses from "./state/statuses";
import { take } from "./state/taken";

/** Taken says who takes an urgent message on, and lets whoever got it take it. */
export function Taken({ message, own }: { message: Message; own: boolean }) {
  const { busy, run } = useBusy();
  const said = useRef<HTMLSpanElement>(null);
  const here = useRef(false); // it was taken by the button, which is gone once that is known
  const me = session.value?.account.token ?? "";
  useEffect(() => {
    if (!own) statuses.need(message);
  }, [message.message_id, statuses.round.value]);
  const by = message.confirmed_by ?? [];
  useEffect(() => by.forEach((account) => need(account, message.recipient_organization)), [message]);
  const taken = !own && statuses.statuses.value.get(message.message_id)?.get(me)?.status === "Confirmed";
  useEffect(() => {
    if (taken && here.current) said.current?.focus();
  }, [taken]);
  if (own) {
    if (by.length === 0) return null;
    return (
      <span class="taken">
        <Icon name="check" />
        {text("takenBy", { names: by.map((account) => nameOf(account) ?? text("somebody")).join(", ") })}
      </span>
    );
  }
  if (taken) {
    return (
      <span ref={said} class="taken" role="status" tabIndex={-1}>
        <Icon name="check" />
        {text("takenByYou")}
      </span>
    );
  }
  const confirm = async () => {
    here.current = true;
    try {
      await take(message, me);
    } catch (error) {
      here.current = false;
      toast(describe(error), { danger: true });
    }
  };
  return (
    <button type="button" class="take" aria-disabled={busy} onClick={() => void run(confirm)}>
      <Icon name="check" />
      {text("takeOn")}
    </button>
  );
}
