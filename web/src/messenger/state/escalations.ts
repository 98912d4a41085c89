// What events told of own messages that are sent on while nobody comes.
import { signal } from "@preact/signals";
import type { Message } from "../../client/index";

/** How often something was told of one, by message. */
export const escalations = signal<ReadonlyMap<string, number>>(new Map());

/** How often something was told that may be of any. */
export const round = signal(0);

/** noteEscalation takes over that a step was done, that nobody came, or that somebody did. */
export function noteEscalation(message: string): void {
  escalations.value = new Map(escalations.value).set(message, (escalations.value.get(message) ?? 0) + 1);
}

/** noteAnswer takes over that somebody has read or confirmed a message, which may be one that a step has sent on. */
export function noteAnswer(message: Message | undefined): void {
  if (message) noteEscalation(message.escalation?.message_id ?? message.message_id);
  else round.value++; // of a message that is not loaded it is not known
}
