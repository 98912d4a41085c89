import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Icon } from "../kit/Icon";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { text } from "../text/text";
import { NewWebhook } from "./NewWebhook";
import { hooked } from "./state/secret";
import { useWebhookActs } from "./WebhookActs";

export type Webhook = Schemas["Webhook"];

/** PersonWebhooks are the URLs to which a person's events go, and what is done with them. */
export function PersonWebhooks(props: { organization: Schemas["Organization"]; account: string; mayCreate: boolean }) {
  const { organization, account } = props;
  const [version, setVersion] = useState(0);
  const [making, setMaking] = useState(false);
  const change = () => setVersion((before) => before + 1);
  const show = (made: Schemas["MadeWebhook"]) => (hooked.value = made);
  const { acts, dialog } = useWebhookActs({ account, onChange: change, onSecret: show });
  return (
    <>
      <h2>{text("console.webhooks")}</h2>
      <Table<Webhook>
        label={text("console.webhooks")}
        empty={text("console.noWebhooks")}
        on={[account, version]}
        keyOf={({ webhook }) => webhook}
        load={async () => ({ results: await client.getWebhooks(account), metadata: {} })}
        columns={columns()}
        acts={acts}
      >
        {props.mayCreate && (
          <button type="button" onClick={() => setMaking(true)}>
            <Icon name="add" /> {text("console.newWebhook")}
          </button>
        )}
      </Table>
      {making && (
        <NewWebhook
          organization={organization} account={account} onClose={() => setMaking(false)}
          onMade={(webhook) => {
            show(webhook);
            change();
          }}
        />
      )}
      {dialog}
    </>
  );
}

/** stateOf says whether events go there. */
export function stateOf({ enabled, disabled_reason: reason, failures }: Webhook): string {
  if (enabled) return text(failures ? "console.webhookFailing" : "console.webhookOn");
  if (!reason) return text("console.disabled");
  return text(({ gone: "console.webhookGone", silent: "console.webhookSilent", key_ended: "console.webhookKeyEnded" } as const)[reason]);
}

function columns() {
  return [
    {
      title: text("console.webhookURL"),
      value: ({ url }: Webhook) => url,
      show: ({ url, webhook }: Webhook) => (
        <>
          <span dir="ltr">{url}</span>
          <small><code>{webhook}</code></small>
        </>
      ),
    },
    { title: text("console.webhookState"), value: stateOf },
    { title: text("console.webhookEvents"), value: ({ events }: Webhook) => events.join(" ") || text("console.webhookAll") },
    {
      title: text("console.webhookContent"),
      value: ({ content }: Webhook) => text(content === "full" ? "console.webhookFull" : "console.webhookThin"),
    },
    {
      title: text("console.webhookLast"),
      value: (of: Webhook) => of.last_success_time ?? "",
      show: (of: Webhook) => <Moment at={of.last_success_time} none={text("console.never")} />,
    },
  ];
}
