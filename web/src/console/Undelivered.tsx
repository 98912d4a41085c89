import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { longestReason } from "../kit/limits";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { addressOf } from "./PersonLink";

type Message = Schemas["Undelivered"];

/** Undelivered lists the messages of an organization that have not arrived after so many minutes, and recalls them. */
export function Undelivered({ organization: org, minutes }: { organization: string; minutes: number }) {
  const [recalled, setRecalled] = useState(0);
  const [taking, setTaking] = useState<Partial<Message> | undefined>();
  const close = () => setTaking(undefined);
  return (
    <>
      <Table<Message>
        label={text("console.undelivered")}
        empty={text("console.allDelivered")}
        on={[org, minutes, recalled]}
        keyOf={(message) => message.message_id}
        load={(continuation) => client.listUndelivered(org, { minutes, ...(continuation && { continuation }) })}
        columns={[
          { title: text("console.message"), value: (message) => message.message_id, show: (message) => <code>{message.message_id}</code> },
          {
            title: text("console.recipient"),
            value: (message) => message.group_token ?? message.recipient_token,
            show: ({ group_token: group, recipient_token: person }) =>
              group
                ? <Link to={`/console/organizations/${org}/groups/${group}`}>{text("console.group")}</Link>
                : <Link to={addressOf(person, org)}>{text("console.person")}</Link>,
          },
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
              setRecalled((before) => before + 1);
            }}
          >
            <p>{text("console.takeBackWhy")}</p>
            {taking.message_id ? (
              <p><code>{taking.message_id}</code></p>
            ) : (
              <Field label={text("console.message")} name="message" required verbatim autocomplete="off" />
            )}
            <Field label={text("console.reason")} name="reason" maxLength={longestReason} hint={text("console.reasonHint")} />
          </Form>
        </Dialog>
      )}
    </>
  );
}
