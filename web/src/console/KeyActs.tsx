import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { longestLabel } from "../kit/limits";
import { Menu } from "../kit/Menu";
import { client, session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Limits } from "./Limits";
import { nameOf, signedIn } from "./keyColumns";
import { issued } from "./state/secret";

type Key = Schemas["ListedKey"];
type Asked = { act: "revoke" | "rotate" | "rename" | "limit"; key: Key };

/**
 * useKeyActs is what is done with a key, wherever keys are listed: the acts of a row, and the dialog that one of them
 * opens, which stands outside of the list so that a row which goes does not take it along.
 */
export function useKeyActs(onChange: () => void) {
  const [asked, setAsked] = useState<Asked | undefined>();
  const acts = (key: Key) => (
    <KeyActs of={key} onAsk={(act) => setAsked({ act, key })} />
  );
  const dialog = asked && <KeyDialog asked={asked} onChange={onChange} onClose={() => setAsked(undefined)} />;
  return { acts, dialog };
}

/**
 * KeyActs are the acts of a row. A device is signed out with one click, and a question. A key that acts everywhere is
 * decided about by those alone who decide about the whole account, and by whose it is.
 */
function KeyActs({ of: key, onAsk }: { of: Key; onAsk: (act: Asked["act"]) => void }) {
  if (!key.managed) return <small>{text("console.managedElsewhere")}</small>;
  if (signedIn(key)) {
    return (
      <button type="button" aria-label={text("console.signOutNamed", { name: nameOf(key) })} onClick={() => onAsk("revoke")}>
        {text("signOutDevice")}
      </button>
    );
  }
  const operator = session.value?.operator ?? false;
  return (
    <Menu
      label={text("console.acts")}
      choices={() => [
        { label: text("console.rename"), onChoose: () => onAsk("rename") },
        { label: text("console.rotate"), onChoose: () => onAsk("rotate") },
        ...(operator ? [{ label: text("console.limits"), onChoose: () => onAsk("limit") }] : []),
        { label: text("console.revoke"), danger: true, apart: true, onChoose: () => onAsk("revoke") },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

function KeyDialog({ asked, onChange, onClose }: { asked: Asked; onChange: () => void; onClose: () => void }) {
  const { act, key } = asked;
  const account = key.account_id;
  if (act === "rotate") {
    return (
      <Confirm
        title={text("console.rotate")}
        act={text("console.rotate")}
        onClose={onClose}
        onConfirm={async () => {
          issued.value = { ...(await client.rotateKey(account, key.api_key)), label: key.label };
          onChange();
        }}
      >
        <p>{text("console.rotateWhy")}</p>
        <Named of={key} />
      </Confirm>
    );
  }
  if (act === "revoke") {
    const device = signedIn(key);
    return (
      <Confirm
        title={text(device ? "signOutDevice" : "console.revoke")}
        act={text(device ? "signOutDevice" : "console.revoke")}
        danger
        onClose={onClose}
        onConfirm={async () => {
          await client.revokeKey(account, key.api_key);
          toast(text(device ? "console.signedOut" : "console.revoked"));
          onChange();
        }}
      >
        <p>{text(device ? "console.signOutWhy" : "console.revokeWhy")}</p>
        <Named of={key} />
      </Confirm>
    );
  }
  const change = async (body: Schemas["KeyChange"]) => {
    await client.updateKey(account, key.api_key, body);
    toast(text("saved"));
    onClose();
    onChange();
  };
  if (act === "rename") {
    return (
      <Dialog title={text("console.rename")} onClose={onClose}>
        <Form act={text("save")} onCancel={onClose} onSubmit={(fields) => change({ label: String(fields.get("label")).trim() })}>
          <Field
            label={text("console.label")} name="label" value={key.label ?? ""} maxLength={longestLabel} autocomplete="off"
            placeholder={text("console.labelExample")} hint={text("console.labelHint")}
          />
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title={text("console.limits")} onClose={onClose}>
      <Form
        act={text("save")}
        onCancel={onClose}
        onSubmit={(fields) => {
          const { messages_per_day = "default", requests_per_second = "default" } = filled(fields, "messages_per_day", "requests_per_second");
          return change({ messages_per_day, requests_per_second });
        }}
      >
        <Limits of={key} />
      </Form>
    </Dialog>
  );
}

/** Named says which key a question is about. */
function Named({ of: key }: { of: Key }) {
  return (
    <p>
      <strong dir="auto">{nameOf(key)}</strong> {nameOf(key) !== key.api_key && <code>{key.api_key}</code>}
    </p>
  );
}
