import { text } from "../text/text";
import { Field } from "./Field";
import { Form } from "./Form";
import { Mark } from "./House";
import { leave } from "./leave";
import { makePasskey, passkeysWork, usePasskey } from "./passkeys";
import { siteName } from "./state/brand";
import { session } from "./state/session";

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
            act={text(makes ? "makePasskey" : "usePasskey")}
            onSubmit={(fields) => (makes ? makePasskey(String(fields.get("label")).trim()) : usePasskey())}
          >
            <p>{text(makes ? "secondFactorMake" : "secondFactorUse")}</p>
            {makes && <Field label={text("passkeyLabel")} name="label" hint={text("passkeyLabelHint")} />}
          </Form>
        ) : (
          <p>{text("passkeysUnknown")}</p>
        )}
        <button type="button" class="quiet" onClick={leave}>
          {text("signOut")}
        </button>
      </div>
    </main>
  );
}
