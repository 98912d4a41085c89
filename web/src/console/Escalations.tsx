import { useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { EditPolicy } from "./EditPolicy";
import { listed, nameIn, namesOf } from "./state/named";
import { type Policy, untilTitle } from "./state/policy";
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
            value: (policy) => sentences(policy).join(", "),
            show: (policy) => <ol>{sentences(policy).map((one) => <li key={one} dir="auto">{one}</li>)}</ol>,
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

function DeletePolicy(props: { organization: string; of: Policy; onDone: () => void; onClose: () => void }) {
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

/** sentences say what each step does. */
function sentences({ steps }: Policy): string[] {
  const among = steps.flatMap(({ to }) => to);
  return steps.map(({ after: n, to }) => text("console.policyStep", { n, names: listed(to, among) }));
}
