import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { language, text } from "../text/text";
import { EditPolicy } from "./EditPolicy";
import { nameIn, namesOf, said } from "./state/named";
import { type Policy, type Step, untilTitle } from "./state/policy";
import type { OfOrganization } from "./tab";

type Asked = { act: "make" } | { act: "edit" | "delete"; policy: Policy };

/** Escalations lists how the urgent messages of an organization are sent on while nobody responds, and changes that. */
export function Escalations({ organization }: OfOrganization) {
  const [version, setVersion] = useState(0);
  const [asked, setAsked] = useState<Asked | undefined>();
  const close = () => setAsked(undefined);
  const change = () => setVersion((before) => before + 1);
  return (
    <>
      <header class="head">
        <h2>{text("console.policies")}</h2>
        <button type="button" class="primary" onClick={() => setAsked({ act: "make" })}>
          <Icon name="add" /> {text("console.newPolicy")}
        </button>
      </header>
      <p class="muted">{text("console.policiesWhy")}</p>
      <Table<Policy>
        label={text("console.policies")}
        empty={text("console.noPolicies")}
        on={[organization.token, version]}
        keyOf={({ name }) => name}
        load={async () => ({ results: await load(organization.token), metadata: {} })}
        columns={[
          { title: text("console.name"), value: ({ name }) => name },
          { title: text("console.policyUntil"), value: ({ until }) => untilTitle(until) },
          {
            title: text("console.policySteps"),
            value: ({ steps }) => steps.map(sentence).join(", "),
            show: ({ steps }) => (
              <ol>{steps.map((step) => <li key={step.after} dir="auto">{sentence(step)}</li>)}</ol>
            ),
          },
        ]}
        acts={(policy) => (
          <Menu
            label={text("console.acts")}
            choices={() => [
              { label: text("console.editPolicy"), onChoose: () => setAsked({ act: "edit", policy }) },
              { label: text("console.deletePolicy"), danger: true, apart: true, onChoose: () => setAsked({ act: "delete", policy }) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      />
      {asked?.act === "delete" && <DeletePolicy organization={organization.token} of={asked.policy} onDone={change} onClose={close} />}
      {asked && asked.act !== "delete" && (
        <EditPolicy
          organization={organization.token} of={asked.act === "edit" ? asked.policy : undefined} onClose={close}
          onDone={() => {
            close();
            change();
          }}
        />
      )}
    </>
  );
}

function DeletePolicy(props: { organization: string; of: Schemas["EscalationPolicy"] | Policy; onDone: () => void; onClose: () => void }) {
  const { organization, of: { name }, onDone, onClose } = props;
  return (
    <Confirm
      title={text("console.deletePolicy")}
      act={text("console.deletePolicy")}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await client.removeEscalationPolicy(organization, name);
        toast(text("console.policyDeleted"));
        onDone();
      }}
    >
      <p>{text("console.deletePolicyWhy")}</p>
      <p><strong dir="auto">{name}</strong></p>
    </Confirm>
  );
}

/** load lists the policies with the names of those whom they name. */
async function load(organization: string): Promise<Policy[]> {
  const policies = await client.listEscalationPolicies(organization);
  const named = policies.flatMap(({ steps }) => steps.flatMap(({ to }) => to));
  const names = await namesOf(organization, named, { groups: true });
  return policies.map(({ steps, ...policy }) => ({
    ...policy, steps: steps.map(({ after, to }) => ({ after, to: to.map((token) => nameIn(names, token)) })),
  }));
}

/** sentence says what a step does. */
function sentence({ after: n, to }: Step): string {
  const names = new Intl.ListFormat(language.value, { type: "conjunction" }).format(to.map(said));
  return text("console.policyStep", { n, names });
}
