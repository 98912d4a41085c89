import { useState } from "preact/hooks";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { go } from "../kit/state/route";
import { client, resumeAll, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text, type Text } from "../text/text";
import { Lifetime } from "./Lifetime";
import { minutesIn, spanOf } from "./span";
import type { OfOrganization } from "./tab";

const switches = {
  dor: "console.dor", forward: "console.forwardAllowed", priority_messaging: "console.priorityAllowed",
  allow_public_groups: "console.publicAllowed", attachments: "console.attachmentsAllowed",
} as const satisfies Record<string, Text>;

/** OrganizationSettings are the rules of an organization for its messages, its legal hold and its end. */
export function OrganizationSettings({ organization, onChange }: OfOrganization) {
  const [asked, setAsked] = useState<"hold" | "erase" | undefined>();
  const settings = new Map(organization.settings.map(({ name, value }) => [name, value]));
  const minutes = (name: string) => {
    const value = settings.get(name);
    return typeof value === "number" && value >= 0 ? value : -1;
  };
  const required = settings.get("second_factor") === "required";
  const close = () => setAsked(undefined);
  const operator = session.value?.operator ?? false;
  const held = organization.legal_hold === true;
  return (
    <div class="sheet">
      <Form
        act={text("save")}
        onSubmit={async (fields) => {
          const [ttl, longest] = [minutesIn(fields, "ttl"), minutesIn(fields, "max_ttl")];
          // Nothing but what was changed here: somebody else may have changed the rest meanwhile.
          const name = String(fields.get("name")).trim();
          const turned = Object.keys(switches).filter((one) => fields.has(one) !== (settings.get(one) === true));
          await client.updateOrganization(organization.token, {
            ...Object.fromEntries(turned.map((one) => [one, fields.has(one)])),
            ...(name !== organization.name && { name }),
            ...(ttl !== minutes("ttl") && { ttl }),
            ...(longest !== minutes("max_ttl") && { max_ttl: longest }),
            ...(fields.has("second_factor") !== required && { second_factor: required ? "optional" : "required" }),
          });
          if (fields.has("second_factor") !== required) await resumeAll(); // one's own session may lack it now
          toast(text("saved"));
          onChange();
        }}
      >
        <Field label={text("console.name")} name="name" value={organization.name} required />
        <Lifetime key={minutes("ttl")} label={text("console.ttl")} never={text("console.never")} name="ttl" value={spanOf(minutes("ttl"))} />
        <Lifetime key={`longest ${minutes("max_ttl")}`} label={text("console.maxTTL")} never={text("console.noLimit")} name="max_ttl" value={spanOf(minutes("max_ttl"))} />
        <fieldset>
          <legend>{text("console.rules")}</legend>
          {Object.entries(switches).map(([name, label]) => (
            <label class="check" key={name}>
              <input type="checkbox" name={name} defaultChecked={settings.get(name) === true} />
              {text(label)}
            </label>
          ))}
          <label class="check">
            <input type="checkbox" name="second_factor" defaultChecked={required} />
            {text("console.secondFactor")}
          </label>
        </fieldset>
      </Form>
      {operator && (
        <section>
          <h2>{text("console.hold")}</h2>
          <p>{text(held ? "console.holdOn" : "console.holdOff")}</p>
          <button type="button" onClick={() => setAsked("hold")}>{text(held ? "console.holdRelease" : "console.holdSet")}</button>
        </section>
      )}
      <section>
        <h2>{text("console.eraseOrganization")}</h2>
        <p>{text("console.eraseOrganizationWhy")}</p>
        <button type="button" class="danger" disabled={held} onClick={() => setAsked("erase")}>{text("console.eraseOrganization")}</button>
      </section>
      {asked === "hold" && (
        <Confirm
          title={text(held ? "console.holdRelease" : "console.holdSet")}
          act={text(held ? "console.holdRelease" : "console.holdSet")}
          danger={held}
          onClose={close}
          onConfirm={async () => {
            await (held ? client.releaseHold(organization.token) : client.setHold(organization.token));
            onChange();
          }}
        >
          <p>{text(held ? "console.holdReleaseWhy" : "console.holdSetWhy", { name: organization.name })}</p>
        </Confirm>
      )}
      {asked === "erase" && (
        <Dialog title={text("console.eraseOrganization")} onClose={close}>
          <Form
            act={text("console.erase")}
            danger
            onCancel={close}
            onSubmit={async (fields) => {
              await client.deleteOrganization(organization.token, String(fields.get("confirm")));
              toast(text("console.erased", { name: organization.name }));
              go("/console/organizations");
            }}
          >
            <p>{text("console.eraseOrganizationWhy")}</p>
            <Field label={text("console.typeName", { name: organization.name })} name="confirm" autocomplete="off" required refusedAs="name" />
          </Form>
        </Dialog>
      )}
    </div>
  );
}
