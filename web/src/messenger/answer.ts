// Answering a message with another one.
import type { Message } from "../client/index";
import { conversations } from "./state/conversations";
import { write } from "./state/drafts";
import { mayWrite } from "./state/groups";
import { keyOfMessage } from "./state/key";
import { parts } from "./state/parts";
import { isSealed } from "./state/seen";

/** mayAnswer tells whether one may answer a message. */
export function mayAnswer(message: Message): boolean {
  const conversation = conversations.value.get(keyOfMessage(message));
  return !message.is_recalled && !isSealed(message) && conversation !== undefined && mayWrite(conversation);
}

/** answer has the next message of a conversation be an answer to one. */
export function answer(message: Message): void {
  write(keyOfMessage(message), { reply: message.message_id });
  requestAnimationFrame(() => parts.composer?.focus(true)); // once the menu is gone
}
