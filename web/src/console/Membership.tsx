import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

/** Membership takes somebody who has an account into an organization. */
export function Membership(props: { organization: string; onDone: () => void; onCancel: () => void }) {
  const { organization } = props;
  return (
    <Form
      act={text("console.addPerson")}
      onCancel={props.onCancel}
      onSubmit={async (fields) => {
        const address = String(fields.get("address")).trim();
        const body = { organization, title: String(fields.get("title")), department: String(fields.get("department")) };
        const pending = await client.addToOrganization(address, body);
        toast(text(pending ? "console.askedToJoin" : "console.done"));
        props.onDone();
      }}
    >
      <Field label={text("username")} name="address" verbatim autocomplete="off" required hint={text("console.addPersonHint")} />
      <div class="pair">
        <Field label={text("console.jobTitle")} name="title" autocomplete="off" optional />
        <Field label={text("console.department")} name="department" autocomplete="off" optional />
      </div>
    </Form>
  );
}
