import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

/** Membership takes somebody who has an account into an organization, or changes what a member is there. */
export function Membership(props: {
  organization: string;
  /** The member; undefined asks for an address. */
  of?: { token: string; title?: string | undefined; department?: string | undefined };
  onDone: () => void;
  onCancel: () => void;
}) {
  const { organization, of: member } = props;
  return (
    <Form
      act={text(member ? "save" : "console.addPerson")}
      onCancel={props.onCancel}
      onSubmit={async (fields) => {
        const address = member?.token ?? String(fields.get("address")).trim();
        const body = { organization, title: String(fields.get("title")), department: String(fields.get("department")) };
        const pending = await client.addToOrganization(address, body);
        toast(text(pending ? "console.askedToJoin" : "console.done"));
        props.onDone();
      }}
    >
      {!member && (
        <Field label={text("username")} name="address" autocomplete="off" required hint={text("console.addPersonHint")} />
      )}
      <div class="pair">
        <Field label={text("console.jobTitle")} name="title" value={member?.title ?? ""} autocomplete="off" />
        <Field label={text("console.department")} name="department" value={member?.department ?? ""} autocomplete="off" />
      </div>
    </Form>
  );
}
