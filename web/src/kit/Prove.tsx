import { text } from "../text/text";
import { Dialog } from "./Dialog";
import { Field } from "./Field";
import { Form } from "./Form";
import { passkeysWork, usePasskey } from "./passkeys";
import { client, resumeAll, session } from "./state/session";
import { useBusy } from "./useBusy";
import { useRefusal } from "./useRefusal";

/** Prove has a person confirm who it is, who signed in long ago: by the password, or by a passkey. */
export function Prove({ done, refuse }: { done: () => void; refuse: () => void }) {
  const { has_password: byPassword = false, has_passkey: byPasskey = false } = session.value ?? {};
  const [problem, tell] = useRefusal();
  const { busy, run } = useBusy();
  const use = async () => {
    try {
      await usePasskey();
      done();
    } catch (error) {
      tell(error);
    }
  };
  return (
    <Dialog title={text("passkey.prove")} onClose={refuse}>
      {byPasskey && passkeysWork() && (
        <>
          <button type="button" aria-disabled={busy} onClick={() => void run(use)}>
            {text("passkey.use")}
          </button>
          {problem && <p role="alert" class="problem">{problem}</p>}
        </>
      )}
      {byPassword && (
        <Form
          act={text("passkey.proveAct")}
          onCancel={refuse}
          onSubmit={async (fields) => {
            await client.elevateSession({ password: String(fields.get("password")) });
            await resumeAll();
            done();
          }}
        >
          <Field label={text("password")} name="password" type="password" autocomplete="current-password" required />
        </Form>
      )}
      {!byPassword && !byPasskey && <p>{text("passkey.proveAgain")}</p>}
    </Dialog>
  );
}
