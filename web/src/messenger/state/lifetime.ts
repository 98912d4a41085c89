// When messages end, and that they do.
import { type Message, SignetError } from "../../client/index";
import { client } from "../../kit/state/session";
import { now } from "../../text/clock";
import * as conversations from "./conversations";
import { change, drop } from "./messages";
import { lose } from "./originals";
import { changeHits } from "./search";

const grace = 60_000; // milliseconds that a message which is deleted on read is there after it

/** When messages that are deleted on read end, by id. */
const ends = new Map<string, number>();

/** endOf returns when a message ends, in milliseconds since 1970; undefined: never. */
export function endOf(message: Message): number | undefined {
  const expires = message.expires_time === undefined ? undefined : Date.parse(message.expires_time);
  const read = ends.get(message.message_id);
  return read !== undefined && (expires === undefined || read < expires) ? read : expires;
}

/** noteRead notes that a message which is deleted on read was read, by all who got it. */
export function noteRead(message: Message, time: number): void {
  if (!message.dor || ends.has(message.message_id)) return;
  ends.set(message.message_id, time + grace);
  change(message.message_id, (m) => ({ ...m })); // who shows it looks again
}

const asked = new Set<string>();

/** needEnd finds out when a message that is deleted on read was, where that was before the page was opened. */
export function needEnd(message: Message): void {
  const { message_id: id, dor, status, is_recalled } = message;
  if (!dor || is_recalled || status !== "Read" || ends.has(id) || asked.has(id)) return;
  asked.add(id);
  client.getMessageStatus(id).then(
    ({ statuses }) => noteRead(message, Math.max(...statuses.map(({ timestamp }) => Date.parse(timestamp)))),
    (error: unknown) => {
      asked.delete(id); // and asked again when it is shown again
      if (error instanceof SignetError && error.status === 404) end((one) => one.message_id === id);
    },
  );
}

/** expire lets what is over disappear. */
export function expire(): void {
  const time = new Date(now.value).toISOString();
  const over = ({ message_id: id, expires_time }: Message) =>
    (expires_time !== undefined && expires_time <= time) || (ends.get(id) ?? Infinity) <= now.value;
  end(over);
}

/** end lets messages disappear that are over. */
function end(over: (message: Message) => boolean): void {
  lose(over);
  changeHits((message) => (over(message) ? undefined : message));
  for (const key of drop(over)) conversations.count(key);
  for (const [key, { last_message }] of conversations.conversations.value) {
    if (!last_message || !over(last_message)) continue;
    conversations.withoutLast(key);
    conversations.reload();
  }
}
