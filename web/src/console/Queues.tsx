import type { ComponentChildren } from "preact";
import type { Schemas } from "../client/index";
import { Moment } from "../kit/Moment";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { type Text, text } from "../text/text";
import { LastSeen } from "./LastSeen";
import { PersonLink } from "./PersonLink";

type Queue = Schemas["Queue"];

/** How old the oldest event of a queue is at least; 0: any age. */
export type Minutes = "0" | "15" | "60" | "1440" | "10080";

const hour = 3_600_000; // milliseconds: the last use of a key is told to the hour

/** meaning is why events stay in a queue, as far as the list tells, and what to do about it. */
function meaning({ streams, last_seen_time: seen, oldest_event_time: oldest }: Queue): readonly [Text, Text] {
  if (streams > 0) return ["console.queueConnected", "console.queueConnectedDo"];
  if (!seen) return ["console.queueNever", "console.queueNeverDo"];
  const [since, arrived] = [Date.parse(seen), Date.parse(oldest)]; // it was seen in the hour that began then
  if (since >= arrived) return ["console.queueUnread", "console.queueUnreadDo"];
  return [since + hour > arrived ? "console.queueAround" : "console.queueAway", "console.queueAwayDo"];
}

/** Queues lists the queues that hold something, of an organization or of all, with what to do about each. */
export function Queues(props: { organization: string | undefined; minutes: Minutes; children: ComponentChildren }) {
  const { organization: org, minutes } = props;
  return (
    <Table<Queue>
      label={text("console.unreadQueues")}
      empty={text("console.noQueues")}
      on={[org, minutes]}
      keyOf={(queue) => queue.account_id}
      load={(continuation) => {
        const page = { ...(minutes !== "0" && { older_than: Number(minutes) }), ...(continuation && { continuation }) };
        return org ? client.listQueues(org, page) : client.listAllQueues(page);
      }}
      columns={[
        {
          title: text("console.name"),
          value: (queue) => queue.display_name,
          show: (queue) => <PersonLink account={queue.account_id} organization={org}>{queue.display_name}</PersonLink>,
        },
        {
          title: text("console.meaning"),
          value: (queue) => text(meaning(queue)[0]),
          show: (queue) => {
            const [what, todo] = meaning(queue);
            return <>{text(what)}<small>{text(todo)}</small></>;
          },
        },
        { title: text("console.events"), value: (queue) => queue.depth, number: true },
        { title: text("console.oldestEvent"), value: (queue) => queue.oldest_event_time, show: (queue) => <Moment at={queue.oldest_event_time} /> },
        {
          title: text("console.lastSeen"),
          value: (queue) => queue.last_seen_time ?? "",
          show: (queue) => <LastSeen at={queue.last_seen_time} />,
        },
        { title: text("console.streams"), value: (queue) => queue.streams, number: true },
      ]}
    >
      {props.children}
    </Table>
  );
}
