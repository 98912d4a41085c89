import { late } from "../text/late";
import { add, text } from "../text/text";
import { Field } from "./Field";
import { Form } from "./Form";
import { Mark } from "./House";
import { leave } from "./leave";
import { makePasskey, passkeysWork, usePasskey } from "./passkeys";
import { siteName } from "./state/brand";
import { session } from "./state/session";

await add(late); // it may be the first that somebody sees

/** SecondFactor is what somebody sees whose password alone is not enough: a passkey is made, or used. */
export function SecondFactor() {
  const makes = session.value?.second_factor === "make";
  return (
    <main class="sign-in">
      <div>
        <h1>
          <Mark /> <span dir="auto">{siteName()}</span>
        </h1>
        {passkeysWork() ? (
          <Form
            act={text(makes ? "passkey.make" : "passkey.use")}
            onSubmit={(fields) => (makes ? makePasskey(String(fields.get("label")).trim()) : usePasskey())}
          >
            <p>{text(makes ? "passkey.requiredMake" : "passkey.requiredUse")}</p>
            {makes && <Field label={text("passkey.label")} name="label" hint={text("passkey.labelHint")} />}
          </Form>
        ) : (
          <p>{text("passkey.unknown")}</p>
        )}
        <button type="button" class="quiet" onClick={leave}>
          {text("signOut")}
        </button>
      </div>
    </main>
  );
}
