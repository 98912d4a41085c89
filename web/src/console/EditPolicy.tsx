import { useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Amiss, Form } from "../kit/Form";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { mustBeChosen } from "./Chooser";
import { PolicySteps } from "./PolicySteps";
import { type Draft, draftsOf, longestPolicyName, type Policy, type Until, untilTitle } from "./state/policy";

/** EditPolicy makes an escalation policy, or changes one: its name is what messages are sent with, and stays. */
export function EditPolicy(props: { organization: string; of: Policy | undefined; onDone: () => void; onClose: () => void }) {
  const { organization, of, onDone, onClose } = props;
  const [until, setUntil] = useState<Until>(of?.until ?? "read");
  const [steps, setSteps] = useState<readonly Draft[]>(() => draftsOf(of?.steps));
  return (
    <Dialog title={text(of ? "console.editPolicy" : "console.newPolicy")} size="wide" onClose={onClose}>
      <Form
        act={text(of ? "save" : "console.makePolicy")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          judge(steps, fields);
          const name = of?.name ?? (await newName(organization, String(fields.get("name")).trim()));
          await client.setEscalationPolicy(organization, name, {
            until, steps: steps.map(({ after, to }) => ({ after: Number(after), to: to.map(({ token }) => token) })),
          });
          toast(text("saved"));
          onDone();
        }}
      >
        {of ? (
          <Field label={text("console.name")} name="name" value={of.name} readOnly />
        ) : (
          <Field
            label={text("console.name")} name="name" required maxLength={longestPolicyName} autocomplete="off"
            hint={text("console.policyNameHint")}
          />
        )}
        <Select<Until>
          label={text("console.policyUntil")} name="until" value={until} onChange={setUntil}
          options={{ read: untilTitle("read"), confirmed: untilTitle("confirmed") }}
        />
        <PolicySteps organization={organization} steps={steps} onChange={setSteps} />
        <p class="muted">{text("console.policyHint")}</p>
      </Form>
    </Dialog>
  );
}

/** newName is a name that no policy of the organization has: to set one of the same name would put it in its place. */
async function newName(organization: string, name: string): Promise<string> {
  if (/^\.+$/.test(name)) throw new Amiss("name", () => text("problem.policy_name_invalid")); // no part of an address
  const policies = await client.listEscalationPolicies(organization);
  if (policies.some((one) => one.name === name)) throw new Amiss("name", () => text("console.policyTaken"));
  return name;
}

/** judge refuses steps at the field that is wrong: the server says only that one of them is. */
function judge(steps: readonly Draft[], fields: FormData): void {
  let before = 0;
  for (const { key, after, to } of steps) {
    if (Number(after) <= before) throw new Amiss(`after-${key}`, () => text("console.stepLater"));
    before = Number(after);
    mustBeChosen(fields, `to-${key}`);
    if (to.length === 0) throw new Amiss(`to-${key}`, () => text("console.chooseSomeone"));
    if (to.some(({ gone }) => gone)) throw new Amiss(`to-${key}`, () => text("console.removeGone"));
  }
}
