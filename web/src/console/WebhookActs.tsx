import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Deliveries } from "./Deliveries";

type Webhook = Schemas["Webhook"];

interface Of {
  /** Whose webhooks. */
  account: string;
  onChange: () => void;
  onSecret: (made: Schemas["MadeWebhook"]) => void;
}

type Asked = { act: "deliveries" | "rotate" | "delete"; webhook: Webhook };

/** useWebhookActs is what is done with a webhook: the acts of a row, and the dialog that one of them opens. */
export function useWebhookActs(of: Of) {
  const [asked, setAsked] = useState<Asked | undefined>();
  const acts = (webhook: Webhook) => (
    <Menu
      label={text("console.acts")}
      choices={() => [
        { label: text("console.webhookTest"), onChoose: () => void test(of.account, webhook) },
        { label: text("console.webhookDeliveries"), onChoose: () => setAsked({ act: "deliveries", webhook }) },
        {
          label: text(webhook.enabled ? "console.webhookDisable" : "console.webhookEnable"),
          onChoose: () => void enable(of, webhook),
        },
        { label: text("console.rotate"), onChoose: () => setAsked({ act: "rotate", webhook }) },
        { label: text("console.webhookDelete"), danger: true, apart: true, onChoose: () => setAsked({ act: "delete", webhook }) },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
  const dialog = asked && <WebhookDialog of={of} asked={asked} onClose={() => setAsked(undefined)} />;
  return { acts, dialog };
}

/** test has a test sent, and tells how that ended. */
async function test(account: string, { webhook }: Webhook): Promise<void> {
  try {
    const { outcome, response_status: status } = await client.testWebhook(account, webhook);
    if (outcome === "delivered") toast(text("console.webhookTested"));
    else toast(`${text("console.webhookNotTaken")} ${status ?? ""}`.trim(), { danger: true });
  } catch (error) {
    toast(describe(error), { danger: true });
  }
}

async function enable({ account, onChange }: Of, { webhook, enabled }: Webhook): Promise<void> {
  try {
    await client.updateWebhook(account, webhook, { enabled: !enabled });
    toast(text("saved"));
    onChange();
  } catch (error) {
    toast(describe(error), { danger: true });
  }
}

function WebhookDialog({ of, asked: { act, webhook }, onClose }: { of: Of; asked: Asked; onClose: () => void }) {
  const { account, onChange } = of;
  if (act === "deliveries") return <Deliveries account={account} of={webhook} onChange={onChange} onClose={onClose} />;
  const rotates = act === "rotate";
  return (
    <Confirm
      title={text(rotates ? "console.rotate" : "console.webhookDelete")}
      act={text(rotates ? "console.rotate" : "console.webhookDelete")}
      danger={!rotates}
      onClose={onClose}
      onConfirm={async () => {
        if (rotates) of.onSecret(await client.rotateWebhook(account, webhook.webhook));
        else {
          await client.deleteWebhook(account, webhook.webhook);
          toast(text("console.webhookDeleted"));
        }
        onChange();
      }}
    >
      <p>{text(rotates ? "console.webhookRotateWhy" : "console.webhookDeleteWhy")}</p>
      <p dir="ltr"><strong>{webhook.url}</strong></p>
    </Confirm>
  );
}
