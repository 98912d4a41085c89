import { useState } from "preact/hooks";
import { type Schemas, SignetError } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Declined } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { makePasskey, passkeysWork } from "../kit/passkeys";
import { Prove } from "../kit/Prove";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { moment } from "../text/format";
import { text } from "../text/text";

type Passkey = Schemas["Passkey"];

/** Passkeys are those with which one signs in: they are listed, made and removed. */
export function Passkeys() {
  const { value, problem, reload } = useLoaded(() => client.getPasskeys("me"), []);
  const [making, setMaking] = useState(false);
  const [removed, setRemoved] = useState<Passkey>();
  const { recently, dialog } = useRecently();
  return (
    <section aria-label={text("passkey.all")}>
      <h3>{text("passkey.all")}</h3>
      <p><small>{text("passkey.why")}</small></p>
      {problem && <p role="alert" class="problem">{problem}</p>}
      <ul class="devices">
        {value?.map((passkey) => (
          <li key={passkey.passkey}>
            <Icon name="key" />
            <span>
              <bdi>{nameOf(passkey)}</bdi>
              <small>
                <time>{moment(passkey.last_used_time ?? passkey.created_time)}</time>{" "}
                {passkey.relying_party !== location.hostname && <bdi>{passkey.relying_party}</bdi>}
              </small>
            </span>
            <button type="button" onClick={() => setRemoved(passkey)}>
              {text("passkey.remove")}
            </button>
          </li>
        ))}
      </ul>
      {passkeysWork() && (
        <p>
          <button type="button" onClick={() => setMaking(true)}>
            <Icon name="add" /> {text("passkey.make")}
          </button>
        </p>
      )}
      {making && (
        <Dialog title={text("passkey.make")} onClose={() => setMaking(false)}>
          <Form
            act={text("passkey.make")}
            onCancel={() => setMaking(false)}
            onSubmit={async (fields) => {
              await recently(() => makePasskey(String(fields.get("label")).trim()));
              toast(text("passkey.made"));
              setMaking(false);
              reload();
            }}
          >
            <Field label={text("passkey.label")} name="label" hint={text("passkey.labelHint")} />
          </Form>
        </Dialog>
      )}
      {removed && (
        <Confirm
          title={text("passkey.remove")}
          act={text("passkey.remove")}
          danger
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            await recently(() => client.deletePasskey("me", removed.passkey));
            reload();
          }}
        >
          <p>{text("passkey.removeWhy", { name: nameOf(removed) })}</p>
        </Confirm>
      )}
      {dialog}
    </section>
  );
}

function nameOf({ label }: Passkey): string {
  return label ?? text("passkey.nameless");
}

/** useRecently does what takes a sign-in of a moment ago: it has the person confirm who it is where that is long ago. */
function useRecently() {
  const [asked, setAsked] = useState<{ done: () => void; refuse: () => void }>();
  const recently = async (act: () => Promise<void>) => {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof SignetError) || error.code !== "recent_sign_in_required") throw error;
    }
    await new Promise<void>((done, reject) => {
      setAsked({ done, refuse: () => reject(new Declined("not confirmed")) });
    }).finally(() => setAsked(undefined));
    await act();
  };
  return { recently, dialog: asked && <Prove {...asked} /> };
}
