// Urgent messages that somebody takes on.
import type { Message } from "../../client/index";
import { client } from "../../kit/state/session";
import { time } from "../../text/clock";
import { noteRead } from "./lifetime";
import { note } from "./statuses";

/** take says that one takes a message on, which implies that one has read it. */
export async function take(message: Message, account: string): Promise<void> {
  await client.setMessageStatus({ confirmed: [message.message_id] });
  note(message.message_id, { account_id: account, status: "Confirmed", timestamp: new Date(time()).toISOString() });
  noteRead(message, time());
}
