import type { Schemas } from "../client/index";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";

type Delivery = Schemas["WebhookDelivery"];

/** Deliveries are the last tries of a webhook, from each of which on events can be sent again. */
export function Deliveries(props: { account: string; of: Schemas["Webhook"]; onChange: () => void; onClose: () => void }) {
  const { account, of, onClose } = props;
  const again = async (event: string) => {
    try {
      await client.updateWebhook(account, of.webhook, { from: event });
      toast(text("console.webhookSentAgain"));
      onClose();
      props.onChange();
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  return (
    <Dialog title={text("console.webhookDeliveries")} size="wide" onClose={onClose}>
      <Table<Delivery>
        label={text("console.webhookDeliveries")}
        empty={text("console.webhookNone")}
        on={[of.webhook]}
        keyOf={({ time, type, event_id: event }) => `${time} ${type} ${event ?? ""}`}
        load={async () => ({ results: (await client.getWebhook(account, of.webhook)).deliveries ?? [], metadata: {} })}
        columns={columns()}
        acts={({ event_id: event }) =>
          event && <button type="button" onClick={() => void again(event)}>{text("console.webhookFromHere")}</button>
        }
      />
    </Dialog>
  );
}

function columns() {
  return [
    {
      title: text("console.time"),
      value: ({ time }: Delivery) => time,
      show: ({ time }: Delivery) => <Moment at={time} to="second" />,
    },
    { title: text("console.webhookType"), value: ({ type }: Delivery) => type },
    { title: text("console.outcome"), value: outcomeOf },
    { title: text("console.webhookTry"), value: (of: Delivery) => String(of.try) },
    { title: text("console.webhookTook"), value: (of: Delivery) => `${of.duration_ms} ms` },
  ];
}

function outcomeOf({ outcome, response_status: status }: Delivery): string {
  const words = text(({
    delivered: "console.webhookDelivered", refused: "console.webhookRefused", timeout: "console.webhookTimeout",
    unreachable: "console.webhookUnreachable", forbidden: "console.webhookForbidden",
  } as const)[outcome]);
  return status ? `${words} (${status})` : words;
}
