// What events told of own messages that are sent on while nobody comes.
import { signal } from "@preact/signals";

/** How often something was told of one, by message. */
export const escalations = signal<ReadonlyMap<string, number>>(new Map());

/** noteEscalation takes over that a step was done, that nobody came, or that somebody did. */
export function noteEscalation(message: string): void {
  escalations.value = new Map(escalations.value).set(message, (escalations.value.get(message) ?? 0) + 1);
}
