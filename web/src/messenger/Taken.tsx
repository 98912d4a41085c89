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
  const me = session.value?.account.token ?? "";
  useEffect(() => {
    if (!own) statuses.need(message);
  }, [message.message_id, statuses.round.value]);
  const by = message.confirmed_by ?? [];
  useEffect(() => by.forEach((account) => need(account, message.recipient_organization)), [message]);
  if (own) {
    if (by.length === 0) return null;
    return (
      <span class="taken">
        <Icon name="check" />
        {text("takenBy", { names: by.map((account) => nameOf(account) ?? text("somebody")).join(", ") })}
      </span>
    );
  }
  const rows = statuses.statuses.value.get(message.message_id);
  if (rows?.get(me)?.status === "Confirmed") {
    return (
      <span ref={said} class="taken" role="status" tabIndex={-1}>
        <Icon name="check" />
        {text("takenByYou")}
      </span>
    );
  }
  const confirm = async () => {
    try {
      await take(message, me);
      requestAnimationFrame(() => said.current?.focus()); // the button is gone
    } catch (error) {
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
