// The names of conversations: by the organization and the user or group that each is with.
import type { Message } from "../../client/index";
import { session } from "../../kit/state/session";

/** keyOf names the conversation with a user or group in an organization. */
export function keyOf(organization: string, token: string): string {
  return `${organization}/${token}`;
}

/** keyOfMessage names the conversation of a message. */
export function keyOfMessage(message: Message): string {
  return keyOf(message.recipient_organization, entityOf(message));
}

/** entityOf names the user or group that a message's conversation is with. */
function entityOf(message: Message): string {
  if (message.group_token) return message.group_token;
  return message.sender_token === session.value?.account.token ? message.recipient_token : message.sender_token;
}
