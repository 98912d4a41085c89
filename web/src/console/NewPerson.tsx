import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

/** NewPerson makes an account in an organization. */
export function NewPerson(props: {
  organization: string;
  onMade: (token: string, name: string) => void;
  onCancel?: () => void;
}) {
  return (
    <Form
      act={text("console.make")}
      {...(props.onCancel && { onCancel: props.onCancel })}
      onSubmit={async (fields) => {
        const body = {
          ...filled(fields, "display_name", "username", "email", "phone", "title", "department"),
          ...(fields.get("password") && { password: String(fields.get("password")) }),
        };
        const made = await client.in(props.organization).createUser(body);
        toast(text("console.personMade", { name: made.display_name }));
        props.onMade(made.token, made.display_name);
      }}
    >
      <Field label={text("console.displayName")} name="display_name" autocomplete="off" required />
      <Field label={text("console.username")} name="username" verbatim autocomplete="off" hint={text("console.addressHint")} />
      <div class="pair">
        <Field label={text("console.email")} name="email" inputMode="email" verbatim autocomplete="off" refusedAs="emails" />
        <Field label={text("console.phone")} name="phone" type="tel" autocomplete="off" refusedAs="phones" />
      </div>
      <div class="pair">
        <Field label={text("console.jobTitle")} name="title" autocomplete="off" optional />
        <Field label={text("console.department")} name="department" autocomplete="off" optional />
      </div>
      <Field
        label={text("console.firstPassword")}
        name="password"
        type="password"
        autocomplete="new-password"
        optional
        hint={text("console.firstPasswordHint")}
      />
    </Form>
  );
}
