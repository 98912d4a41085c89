import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { longestLabel } from "../kit/limits";
import { Select } from "../kit/Select";
import { client, session } from "../kit/state/session";
import { time } from "../text/clock";
import { text } from "../text/text";
import { Limits } from "./Limits";
import { issued } from "./state/secret";

type End = "30" | "90" | "365" | "date" | "never";

/** NewKey creates a key of an account, and has its secret shown. */
export function NewKey(props: {
  organization: Schemas["Organization"];
  /** Whose it is. */
  account: string;
  onMade: () => void;
  onClose: () => void;
}) {
  const { organization, onClose } = props;
  const [kind, setKind] = useState<Schemas["KeyKind"]>("regular");
  const [scope, setScope] = useState(organization.token);
  const [end, setEnd] = useState<End>("90");
  const operator = session.value?.operator ?? false;
  return (
    <Dialog title={text("console.newKey")} onClose={onClose}>
      <Form
        act={text("console.issue")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const { networks, date, label, ...limits } = filled(fields, "networks", "date", "label", "messages_per_day", "requests_per_second");
          const seconds = secondsUntil(end, date);
          const key = await client.in(organization.token).createKey(props.account, {
            kind,
            ...limits,
            ...(label && { label }),
            ...(scope && { organization: scope }),
            ...(seconds !== undefined && { expires_in: seconds }),
            ...(networks && { allowed_networks: networks.split(/[\s,]+/) }),
          });
          onClose();
          issued.value = { ...key, label };
          props.onMade();
        }}
      >
        <Field
          label={text("console.label")} name="label" required maxLength={longestLabel} autocomplete="off"
          placeholder={text("console.labelExample")} hint={text("console.labelHint")}
        />
        <div class="pair">
          <Select<Schemas["KeyKind"]>
            label={text("console.kind")}
            value={kind}
            onChange={setKind}
            options={{ regular: text("console.regular"), administrative: text("console.administrative") }}
          />
          <Select
            label={text("console.scope")}
            value={scope}
            onChange={setScope}
            options={{ [organization.token]: organization.name, ...(operator && { "": text("console.anywhere") }) }}
          />
        </div>
        <div class="pair">
          <Select<End>
            label={text("console.ends")}
            value={end}
            onChange={setEnd}
            options={{
              30: text("console.inDays", { n: 30 }), 90: text("console.inDays", { n: 90 }), 365: text("console.inAYear"),
              date: text("console.onADate"), never: text("console.never"),
            }}
          />
          {end === "date" && (
            <Field label={text("console.lastDay")} name="date" type="date" required min={dayOf(time())} refusedAs="expires_in" />
          )}
        </div>
        {end === "never" && <p class="warned" role="status">{text("console.neverWarning")}</p>}
        <Field
          label={text("console.networks")} name="networks" optional placeholder="192.0.2.0/24" autocomplete="off" verbatim
          hint={text("console.networksHint")} refusedAs="allowed_networks"
        />
        {operator && <Limits />}
      </Form>
    </Dialog>
  );
}

/** dayOf is the day of a time, where the computer is, as a field for a date has it. */
function dayOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}

/** secondsUntil is for how long a key is asked for: up to the end of a day, where one was chosen; undefined is for good. */
function secondsUntil(end: End, day: string | undefined): number | undefined {
  if (end === "never") return undefined;
  if (end !== "date") return Number(end) * 86_400;
  const last = new Date(`${day}T00:00`);
  last.setDate(last.getDate() + 1); // a day may have 23 hours, or 25
  return Math.max(1, Math.round((last.getTime() - time()) / 1000));
}
