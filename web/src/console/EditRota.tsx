import { useId, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Amiss, Form, useProblem } from "../kit/Form";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { knows, zones } from "../kit/zone";
import { text } from "../text/text";
import { Chooser, mustBeChosen } from "./Chooser";
import { type Draft, draftOf, type Duty, kept, longestTurn, mostFallback, type Rota, rotaOf } from "./state/rota";
import { Turns } from "./Turns";

/** EditRota gives a group a rota, or changes the one that it has. */
export function EditRota(props: { group: Schemas["Group"]; of: Rota | null; onDone: () => void; onClose: () => void }) {
  const { group, of, onDone, onClose } = props;
  const [draft, setDraft] = useState<Draft>(() => draftOf(of));
  const id = useId();
  const change = (to: Partial<Draft>) => setDraft((before) => ({ ...before, ...to }));
  const chooser = (name: "always" | "fallback", label: string, hint: string) => (
    <Chooser
      label={label} hint={hint} name={name} organization={group.organization_key} chosen={draft[name]}
      onChange={(chosen) => setDraft((before) => ({ ...before, [name]: chosen }))} {...(name === "fallback" && { most: mostFallback })}
    />
  );
  return (
    <Dialog title={text(of ? "console.editRota" : "console.setRota")} size="wide" onClose={onClose}>
      <Form
        act={text("save")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          mustBeChosen(fields, "rotation", "always", "fallback");
          const timezone = draft.timezone.trim();
          if (!knows(timezone)) throw new Amiss("timezone", () => text("console.timezoneUnknown"));
          // What is not set here may have changed meanwhile.
          const { duty } = await client.getGroup(group.token);
          const now = duty ? await client.getDuty(group.token) : undefined;
          const start = String(fields.get("start")).slice(0, "2000-01-01T00:00".length);
          await client.setDuty(group.token, rotaOf({ ...draft, timezone, start, hours: Number(fields.get("hours")) }, now));
          toast(text("saved"));
          onDone();
        }}
      >
        {!of && <p class="warned">{text("console.rotaLeave")}</p>}
        <Field
          label={text("console.timezone")} name="timezone" required verbatim autocomplete="off" list={`${id}-zones`} value={draft.timezone}
          placeholder="Europe/Berlin" onInput={(event) => change({ timezone: event.currentTarget.value })}
        />
        <datalist id={`${id}-zones`}>{zones().map((zone) => <option key={zone} value={zone} />)}</datalist>
        <Turns organization={group.organization_key} turns={draft.turns} onChange={(turns) => change({ turns })} />
        <div class="pair">
          <Field
            label={text("console.turnHours")} name="hours" type="number" min={1} max={longestTurn} required
            value={String(draft.hours)} hint={text("console.turnHoursHint")}
          />
          <Field
            label={text("console.rotaStart")} name="start" type="datetime-local" min="2000-01-01T00:00" max="2099-12-31T23:59" required
            value={draft.start} hint={text("duty.zone", { zone: draft.timezone })}
          />
        </div>
        {chooser("always", text("console.dutyAlways"), text("console.dutyAlwaysHint"))}
        {chooser("fallback", text("console.dutyFallback"), text("console.dutyFallbackHint"))}
        {of && <Overrides duty={of.duty} />}
      </Form>
    </Dialog>
  );
}

/** Overrides says what becomes of those that the rota has: the form does not show them. */
function Overrides({ duty }: { duty: Duty }) {
  const problem = useProblem("overrides");
  const { kept: n, lost } = kept(duty);
  return (
    <>
      {n > 0 && <p class="muted">{text("console.overridesKept", { n })}</p>}
      {lost > 0 && <p class="warned">{text("console.overridesLost", { n: lost })}</p>}
      {problem && <p role="alert" class="problem">{problem}</p>}
    </>
  );
}
