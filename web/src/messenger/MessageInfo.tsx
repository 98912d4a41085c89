import { useEffect, useState } from "preact/hooks";
import type { Message, Schemas } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Dialog } from "../kit/Dialog";
import { client, session } from "../kit/state/session";
import { useRefusal } from "../kit/useRefusal";
import { moment } from "../text/format";
import { text } from "../text/text";
import { Escalation } from "./Escalation";
import { besideOf } from "./state/beside";
import { endOf } from "./state/lifetime";
import { nameOf, need, people } from "./state/people";
import * as live from "./state/statuses";
import { Status } from "./Status";

type Row = Schemas["StatusRow"];
const order = ["Read", "Delivered", "New"] as const;

/** MessageInfo shows what there is to know of a message over the page. */
export function MessageInfo({ message, onClose }: { message: Message; onClose: () => void }) {
  return (
    <Dialog title={text("messageInfo")} onClose={onClose}>
      <div>
        <MessageFacts message={message} />
      </div>
    </Dialog>
  );
}

/** MessageFacts tells who sent a message and when, how long it lasts, and how far it got with whom. */
export function MessageFacts({ message }: { message: Message }) {
  const own = message.sender_token === session.value?.account.token;
  const [rows, setRows] = useState<readonly Row[]>();
  const [problem, refuse] = useRefusal();
  // An event that tells more is a reason to ask again.
  const told = live.statuses.value.get(message.message_id);
  useEffect(() => {
    let late = false;
    client.getMessageStatus(message.message_id).then(
      ({ statuses }) => {
        if (late) return;
        refuse(undefined);
        for (const { account_id } of statuses) need(account_id, message.recipient_organization);
        setRows(statuses);
      },
      (error: unknown) => late || refuse(error),
    );
    return () => void (late = true);
  }, [message, told]);
  const end = endOf(message);
  return (
    <>
      <dl class="facts">
        <dt>{text("from")}</dt>
        <dd dir="auto">
          <bdi>{nameOf(message.sender_token) ?? text("somebody")}</bdi>
          <Beside of={message.sender_token} />
        </dd>
        <dt>{text("sentAt")}</dt>
        <dd><time dateTime={message.created_time}>{moment(message.created_time)}</time></dd>
        {message.original_timestamp && (
          <>
            <dt>{text("firstSentAt")}</dt>
            <dd><time dateTime={message.original_timestamp}>{moment(message.original_timestamp)}</time></dd>
          </>
        )}
        <dt>{text("lifetime")}</dt>
        <dd>
          {end === undefined ? text("forEver") : text("goneAt", { time: moment(new Date(end)) })}
          {message.dor && <small>{text("deletedOnRead")}</small>}
        </dd>
      </dl>
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      {own && message.is_escalated && <Escalation message={message} />}
      {own && (
        <div class="progress-of" aria-busy={!rows && !problem}>
          {order.map((status) => {
            const some = rows?.filter((row) => (row.status === "Confirmed" ? "Read" : row.status) === status) ?? [];
            if (some.length === 0) return null;
            return (
              <section key={status}>
                <h3>
                  <Status of={status} /> {text(status)} <span class="muted">{some.length}</span>
                </h3>
                <ul aria-label={text(status)}>
                  {some.map(({ account_id, timestamp }) => (
                    <li key={account_id}>
                      <Avatar
                        name={nameOf(account_id) ?? ""}
                        token={account_id}
                        picture={people.value.get(account_id)?.avatar}
                      />
                      <bdi>{nameOf(account_id) ?? text("somebody")} <Beside of={account_id} /></bdi>
                      <time dateTime={timestamp}>{moment(timestamp)}</time>
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      )}
    </>
  );
}

/** Beside is what stands beside the name of somebody. */
function Beside({ of: token }: { of: string }) {
  const { account } = session.value ?? {};
  const person = token === account?.token ? account : people.value.get(token);
  return person && <small>{besideOf(person)}</small>;
}
