import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { longestName } from "../kit/limits";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { go } from "../kit/state/route";
import { client, resume } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { Filter } from "./Filter";

/** Organizations lists those that one administers. */
export function Organizations() {
  const [name, setName] = useState("");
  const [making, setMaking] = useState(false);
  return (
    <>
      <Table<Schemas["ListedOrganization"]>
        label={text("console.organizations")}
        empty={text("console.noOrganizations")}
        head={
          <>
            <h1>{text("console.organizations")}</h1>
            <button type="button" class="primary" onClick={() => setMaking(true)}>
              <Icon name="add" /> {text("console.newOrganization")}
            </button>
          </>
        }
        on={[name]}
        keyOf={(one) => one.token}
        load={(continuation) =>
          client.listOrganizations({ ...(name && { name }), ...(continuation && { continuation }) })
        }
        columns={[
          {
            title: text("console.name"),
            value: (one) => one.name,
            show: (one) => <Link to={`/console/organizations/${one.token}/people`}><bdi>{one.name}</bdi></Link>,
          },
          { title: text("console.people"), value: (one) => one.members, number: true },
          { title: text("console.groups"), value: (one) => one.groups, number: true, priority: 3 },
          { title: text("console.requests"), value: (one) => one.requests, number: true, priority: 2 },
          { title: text("console.hold"), value: (one) => (one.legal_hold ? text("console.yes") : ""), priority: 2 },
          {
            title: text("console.made"),
            value: (one) => one.created_time,
            show: (one) => <Moment at={one.created_time} />,
            priority: 3,
          },
        ]}
      >
        <Filter label={text("console.filter")} onChange={setName} />
      </Table>
      {making && (
        <Dialog title={text("console.newOrganization")} onClose={() => setMaking(false)}>
          <NewOrganization onMade={(token) => go(`/console/organizations/${token}/people`)} onCancel={() => setMaking(false)} />
        </Dialog>
      )}
    </>
  );
}

/** NewOrganization makes one, of which one is administrator then. */
export function NewOrganization(props: { onMade: (token: string, name: string) => void; onCancel?: () => void }) {
  return (
    <Form
      act={text("console.makeOrganization")}
      {...(props.onCancel && { onCancel: props.onCancel })}
      onSubmit={async (fields) => {
        const name = String(fields.get("name")).trim();
        const token = await client.createOrganization({ name });
        await resume();
        props.onMade(token, name);
      }}
    >
      <Field
        label={text("console.organizationName")}
        name="name"
        autocomplete="organization"
        required
        maxLength={longestName}
        hint={text("console.organizationNameHint")}
      />
    </Form>
  );
}
