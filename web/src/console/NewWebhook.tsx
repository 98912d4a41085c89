import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { filled, Form } from "../kit/Form";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { text } from "../text/text";

/** NewWebhook has events of an account POSTed to a URL. */
export function NewWebhook(props: {
  organization: Schemas["Organization"];
  /** Whose events. */
  account: string;
  onMade: (made: Schemas["MadeWebhook"]) => void;
  onClose: () => void;
}) {
  const [content, setContent] = useState<"thin" | "full">("thin");
  const [signature, setSignature] = useState<"v1" | "v1a">("v1");
  const [acknowledge, setAcknowledge] = useState<"false" | "true">("false");
  const { organization, onClose } = props;
  return (
    <Dialog title={text("console.newWebhook")} onClose={onClose}>
      <Form
        act={text("console.webhookMake")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const { url = "", events } = filled(fields, "url", "events");
          const made = await client.in(organization.token).createWebhook(props.account, {
            url, content, signature, acknowledge: acknowledge === "true", organization: organization.token,
            ...(events && { events: events.split(/[\s,]+/) }),
          });
          onClose();
          props.onMade(made);
        }}
      >
        <Field
          label={text("console.webhookURL")} name="url" type="url" required placeholder="https://hooks.example.com/signet"
          autocomplete="off" verbatim hint={text("console.webhookURLHint")}
        />
        <Field
          label={text("console.webhookEvents")} name="events" optional placeholder="message group_message" autocomplete="off"
          verbatim hint={text("console.webhookEventsHint")}
        />
        <div class="pair">
          <Select
            label={text("console.webhookContent")} value={content} onChange={setContent}
            options={{ thin: text("console.webhookThin"), full: text("console.webhookFull") }}
          />
          <Select
            label={text("console.webhookSignature")} value={signature} onChange={setSignature}
            options={{ v1: "HMAC-SHA256 (v1)", v1a: "Ed25519 (v1a)" }}
          />
        </div>
        <Select
          label={text("console.webhookAcknowledge")} value={acknowledge} onChange={setAcknowledge}
          options={{ false: text("console.webhookBeside"), true: text("console.webhookAcknowledges") }}
        />
      </Form>
    </Dialog>
  );
}
