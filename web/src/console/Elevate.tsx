import { useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { passkeysWork, usePasskey } from "../kit/passkeys";
import { client, session } from "../kit/state/session";
import { useBusy } from "../kit/useBusy";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";
import { elevate, elevateWithKey } from "./state/elevation";

/** ByProvider leads to the provider with which the person signed in, who proves there anew who she is. */
function ByProvider() {
  const provider = session.value?.provider;
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  if (!provider) return null;
  const begin = async () => {
    try {
      const { url } = await client.beginElevation(provider.id, { return: location.pathname + location.search + location.hash });
      location.assign(url);
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <>
      <p>
        <button type="button" aria-disabled={busy} onClick={() => void run(begin)}>{text("console.elevateWith", { name: provider.name })}</button>
      </p>
      {problem && <p role="alert" class="problem">{problem}</p>}
    </>
  );
}

/** Elevate asks for the password again, or for a key, before something administrative. */
export function Elevate({ done, refuse }: { done: () => void; refuse: () => void }) {
  const hasPassword = session.value?.has_password ?? true;
  const hasPasskey = (session.value?.has_passkey ?? false) && passkeysWork();
  const [problem, tell] = useRefusal();
  const { busy, run } = useBusy();
  const byPasskey = async () => {
    try {
      await usePasskey();
      done();
    } catch (error) {
      tell(error);
    }
  };
  const [byKey, setByKey] = useState(!hasPassword);
  return (
    <Dialog title={text("console.elevate")} onClose={refuse}>
      <Form
        act={text("console.continue")}
        onCancel={refuse}
        onSubmit={async (fields) => {
          if (byKey) await elevateWithKey(String(fields.get("key")), String(fields.get("secret")));
          else await elevate(String(fields.get("password")));
          done();
        }}
      >
        <p>{text(hasPassword ? "console.elevateWhy" : "console.elevateByKey")}</p>
        <ByProvider />
        {byKey ? (
          <>
            <Field label={text("console.key")} name="key" autocomplete="off" verbatim required />
            <Field label={text("console.secret")} name="secret" type="password" autocomplete="off" required />
          </>
        ) : (
          <Field label={text("password")} name="password" type="password" autocomplete="current-password" required />
        )}
        {hasPasskey && (
          <p>
            <button type="button" aria-disabled={busy} onClick={() => void run(byPasskey)}>
              {text("passkey.use")}
            </button>
          </p>
        )}
        {problem && <p role="alert" class="problem">{problem}</p>}
        {hasPassword && (
          <p>
            <button type="button" class="quiet" onClick={() => setByKey(!byKey)}>
              {text(byKey ? "console.withPassword" : "console.withKey")}
            </button>
          </p>
        )}
      </Form>
    </Dialog>
  );
}
