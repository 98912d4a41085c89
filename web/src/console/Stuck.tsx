import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { longestReason } from "../kit/limits";
import { Moment } from "../kit/Moment";
import { Select } from "../kit/Select";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import type { OfOrganization } from "./tab";

type Minutes = "0" | "15" | "60" | "1440" | "10080";

/** Stuck shows queues that nobody reads and, of an organization, messages that have not arrived. */
export function Stuck({ organization }: Partial<OfOrganization>) {
  const [minutes, setMinutes] = useState<Minutes>("15");
  const [recalled, setRecalled] = useState(0);
  const [taking, setTaking] = useState<Partial<Schemas["Undelivered"]> | undefined>();
  const org = organization?.token;
  const close = () => setTaking(undefined);
  return (
    <>
      {!organization && <h1>{text("console.stuck")}</h1>}
      <h2>{text("console.unreadQueues")}</h2>
      <Table<Schemas["Queue"]>
        label={text("console.unreadQueues")}
        empty={text("console.noQueues")}
        on={[org, minutes]}
        keyOf={(queue) => queue.account_id}
        load={(continuation) => {
          const page = { ...(minutes !== "0" && { older_than: Number(minutes) }), ...(continuation && { continuation }) };
          return org ? client.listQueues(org, page) : client.listAllQueues(page);
        }}
        columns={[
          { title: text("console.name"), value: (queue) => queue.display_name },
          { title: text("console.events"), value: (queue) => queue.depth, number: true },
          { title: text("console.oldestEvent"), value: (queue) => queue.oldest_event_time, show: (queue) => <Moment at={queue.oldest_event_time} /> },
          { title: text("console.streams"), value: (queue) => queue.streams, number: true },
          {
            title: text("console.lastSeen"),
            value: (queue) => queue.last_seen_time ?? "",
            show: (queue) => <Moment at={queue.last_seen_time} none={text("console.never")} />,
          },
        ]}
      >
        <Select<Minutes>
          label={text("console.olderThan")}
          value={minutes}
          onChange={setMinutes}
          options={{
            0: text("console.anyAge"), 15: text("console.minutes", { n: 15 }), 60: text("console.hours", { n: 1 }), 1440: text("console.days", { n: 1 }),
            10080: text("console.days", { n: 7 }),
          }}
        />
      </Table>
      {org && (
        <>
          <h2>{text("console.undelivered")}</h2>
          <Table<Schemas["Undelivered"]>
            label={text("console.undelivered")}
            empty={text("console.allDelivered")}
            on={[org, minutes, recalled]}
            keyOf={(message) => message.message_id}
            load={(continuation) =>
              client.listUndelivered(org, { minutes: Number(minutes) || 1, ...(continuation && { continuation }) })
            }
            columns={[
              { title: text("console.message"), value: (message) => message.message_id, show: (message) => <code>{message.message_id}</code> },
              { title: text("console.sentAt"), value: (message) => message.created_time, show: (message) => <Moment at={message.created_time} /> },
              { title: text("console.priority"), value: (message) => (message.priority === 1 ? text("console.yes") : "") },
              { title: text("console.waiting"), value: (message) => message.waiting ?? 1, number: true },
            ]}
            acts={(message) => (
              <button type="button" class="icon" aria-label={text("console.takeBack")} title={text("console.takeBack")} onClick={() => setTaking(message)}>
                <Icon name="recall" />
              </button>
            )}
          >
            <button type="button" onClick={() => setTaking({})}>
              <Icon name="recall" /> {text("console.takeBackById")}
            </button>
          </Table>
          {taking && (
            <Dialog title={text("console.takeBack")} onClose={close}>
              <Form
                act={text("console.takeBack")}
                danger
                onCancel={close}
                onSubmit={async (fields) => {
                  const id = taking.message_id ?? String(fields.get("message")).trim();
                  const reason = String(fields.get("reason")).trim();
                  await client.recallMessageFor(org, id, reason ? { reason } : {});
                  toast(text("console.takenBack"));
                  close();
                  setRecalled(recalled + 1);
                }}
              >
                <p>{text("console.takeBackWhy")}</p>
                {taking.message_id ? <p><code>{taking.message_id}</code></p> : <Field label={text("console.message")} name="message" required />}
                <Field label={text("console.reason")} name="reason" maxLength={longestReason} hint={text("console.reasonHint")} />
              </Form>
            </Dialog>
          )}
        </>
      )}
    </>
  );
}
