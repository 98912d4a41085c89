import type { Message } from "../../client/index";

/** addressOf is where the file of a message is downloaded. */
export function addressOf(message: Message): string {
  return `/v2/message/${message.message_id}/attachment/1`;
}
