import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { client } from "../kit/state/session";
import { text } from "../text/text";
import type { Newcomer } from "./state/first";

/** FirstPerson makes an account with no more than it takes to sign in. */
export function FirstPerson({ organization, onMade }: { organization: string; onMade: (made: Newcomer) => void }) {
  return (
    <Form
      act={text("console.addOne")}
      onSubmit={async (fields) => {
        const password = String(fields.get("password"));
        const made = await client.in(organization).createUser({
          display_name: String(fields.get("display_name")).trim(), username: String(fields.get("username")).trim(), password,
        });
        onMade({ token: made.token, display_name: made.display_name, username: made.username, password });
      }}
    >
      <div class="pair">
        <Field label={text("console.displayName")} name="display_name" autocomplete="off" required />
        <Field label={text("console.username")} name="username" verbatim autocomplete="off" required />
      </div>
      <Field
        label={text("console.firstPassword")}
        name="password"
        type="password"
        autocomplete="new-password"
        required
        hint={text("console.firstPasswordHint")}
      />
    </Form>
  );
}
