import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { Moment } from "../kit/Moment";
import { client, session } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Secret } from "./Secret";

type Key = Schemas["ListedKey"];

/** PersonKeys are the keys of an account that act in an organization: to issue, rotate, limit and revoke. */
export function PersonKeys({ organization, token }: { organization: Schemas["Organization"]; token: string }) {
  const [changed, setChanged] = useState(0);
  const [asked, setAsked] = useState<"new" | { act: "revoke" | "rotate" | "limit"; key: Key } | undefined>();
  const [shown, setShown] = useState<{ api_key: string; api_secret: string } | undefined>();
  const operator = session.value?.operator ?? false;
  const close = () => setAsked(undefined);
  const change = () => setChanged(changed + 1);
  return (
    <>
      <h2>{text("console.keys")}</h2>
      <Table
        label={text("console.keys")}
        empty={text("console.noKeys")}
        on={[organization.token, token, changed]}
        keyOf={(key) => key.api_key}
        load={(continuation) =>
          client.listOrganizationKeys(organization.token, { account: token, ...(continuation && { continuation }) })
        }
        columns={keyColumns()}
        acts={(key) => (
          <Menu
            label={text("console.acts")}
            choices={() => [
              ...(key.session ? [] : [{ label: text("console.rotate"), onChoose: () => setAsked({ act: "rotate" as const, key }) }]),
              ...(operator ? [{ label: text("console.limits"), onChoose: () => setAsked({ act: "limit" as const, key }) }] : []),
              { label: text("console.revoke"), danger: true, onChoose: () => setAsked({ act: "revoke", key }) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      >
        <button type="button" class="primary" onClick={() => setAsked("new")}>
          <Icon name="add" /> {text("console.newKey")}
        </button>
      </Table>
      {asked === "new" && (
        <Dialog title={text("console.newKey")} onClose={close}>
          <Form
            act={text("console.issue")}
            onCancel={close}
            onSubmit={async (fields) => {
              const { networks, days, scope, ...rest } = filled(fields, "kind", "networks", "days", "scope", "messages_per_day", "requests_per_second");
              const body = {
                ...rest,
                kind: rest["kind"] === "administrative" ? ("administrative" as const) : ("regular" as const),
                ...(scope && { organization: scope }),
                ...(days && { expires_in: Math.round(Number(days) * 86_400) }),
                ...(networks && { allowed_networks: networks.split(/[\s,]+/) }),
              };
              const made = await client.in(organization.token).createKey(token, body);
              close();
              setShown(made);
              change();
            }}
          >
            <p class="field">
              <label for="kind">{text("console.kind")}</label>
              <select id="kind" name="kind">
                <option value="regular">{text("console.regular")}</option>
                <option value="administrative">{text("console.administrative")}</option>
              </select>
            </p>
            <p class="field">
              <label for="scope">{text("console.scope")}</label>
              <select id="scope" name="scope">
                <option value={organization.token}>{organization.name}</option>
                {operator && <option value="">{text("console.anywhere")}</option>}
              </select>
            </p>
            <Field label={text("console.endsIn")} name="days" type="number" min={0} hint={text("console.endsInHint")} refusedAs="expires_in" />
            <Field label={text("console.networks")} name="networks" placeholder="192.0.2.0/24" hint={text("console.networksHint")} refusedAs="allowed_networks" />
            {operator && <Limits />}
          </Form>
        </Dialog>
      )}
      {typeof asked === "object" && asked.act === "limit" && (
        <Dialog title={text("console.limits")} onClose={close}>
          <Form
            act={text("save")}
            onCancel={close}
            onSubmit={async (fields) => {
              const { messages_per_day = "default", requests_per_second = "default" } = filled(fields, "messages_per_day", "requests_per_second");
              await client.updateKey(token, asked.key.api_key, { messages_per_day, requests_per_second });
              close();
              change();
            }}
          >
            <Limits of={asked.key} />
          </Form>
        </Dialog>
      )}
      {typeof asked === "object" && asked.act === "rotate" && (
        <Confirm
          title={text("console.rotate")}
          act={text("console.rotate")}
          onClose={close}
          onConfirm={async () => {
            setShown(await client.rotateKey(token, asked.key.api_key));
            change();
          }}
        >
          <p>{text("console.rotateWhy")}</p>
        </Confirm>
      )}
      {typeof asked === "object" && asked.act === "revoke" && (
        <Confirm
          title={text("console.revoke")}
          act={text("console.revoke")}
          danger
          onClose={close}
          onConfirm={async () => {
            await client.revokeKey(token, asked.key.api_key);
            change();
          }}
        >
          <p>{text("console.revokeWhy")}</p>
          <p><code>{asked.key.api_key}</code></p>
        </Confirm>
      )}
      {shown && <Secret keyName={shown.api_key} secret={shown.api_secret} onClose={() => setShown(undefined)} />}
    </>
  );
}

function Limits({ of: key }: { of?: Key }) {
  const names = { messages_per_day: "console.aDay", requests_per_second: "console.aSecond" } as const;
  return (
    <div class="pair">
      {(["messages_per_day", "requests_per_second"] as const).map((name) => (
        <Field
          key={name}
          label={text(names[name])}
          name={name}
          value={String(key?.[name] ?? "")}
          inputMode="numeric"
          hint={text("console.limitHint")}
        />
      ))}
    </div>
  );
}

function kindOf(key: Key): string {
  if (key.session) return text("console.session");
  return text(key.kind === "administrative" ? "console.administrative" : "console.regular");
}

/** keyColumns are what is told of a key wherever keys are listed. */
export function keyColumns() {
  return [
    { title: text("console.key"), value: (key: Key) => key.api_key, show: (key: Key) => <code>{key.api_key}</code> },
    {
      title: text("console.kind"),
      value: (key: Key) => [kindOf(key), key.device].filter(Boolean).join(", "),
      show: (key: Key) => <>{kindOf(key)}{key.device && <small><bdi>{key.device}</bdi></small>}</>,
    },
    {
      title: text("console.scope"),
      value: (key: Key) => (key.organization ? text("console.thisOrganization") : text("console.everywhere")),
    },
    { title: text("console.networks"), value: (key: Key) => key.allowed_networks?.join(" ") ?? "" },
    {
      title: text("console.lastUsed"),
      value: (key: Key) => key.last_used_time ?? "",
      show: (key: Key) => (
        <>
          <Moment at={key.last_used_time} none={text("console.never")} />
          {key.last_used_address && <small>{key.last_used_address}</small>}
        </>
      ),
    },
    {
      title: text("console.ends"),
      value: (key: Key) => key.expires_time ?? "",
      show: (key: Key) => <Moment at={key.expires_time} to="day" none={text("console.never")} />,
    },
  ];
}
