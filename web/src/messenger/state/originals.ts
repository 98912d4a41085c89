// The messages that others answer, where their own conversation does not have them loaded.
import { signal } from "@preact/signals";
import { type Message, SignetError } from "../../client/index";
import { client } from "../../kit/state/session";
import { time } from "../../text/clock";
import { get, messages } from "./messages";

/** By their ids; null: it is gone, or one never had it. */
const originals = signal<ReadonlyMap<string, Message | null>>(new Map());

const asked = new Set<string>();

/** originalOf returns a message of a conversation by its id; null where it is gone, undefined while that is not known. */
export function originalOf(key: string, id: string): Message | null | undefined {
  const known = messages.value.get(key)?.findLast(({ message_id }) => message_id === id) ?? originals.value.get(id);
  return known?.is_recalled ? null : known;
}

/** needOriginal has a message asked for that is not loaded. */
export function needOriginal(id: string): void {
  if (asked.has(id) || get(id)) return;
  asked.add(id);
  client.getMessage(id).then(
    (message) => know(id, Date.parse(message.expires_time ?? "") <= time() ? null : message),
    (error: unknown) => {
      if (error instanceof SignetError && error.status === 404) know(id, null);
      else asked.delete(id); // when it is shown again
    },
  );
}

function know(id: string, message: Message | null): void {
  if (originals.value.get(id) === null) return; // it was taken back meanwhile
  originals.value = new Map(originals.value).set(id, message);
}

/** lose says that messages are gone: whoever shows what they say shows that no more. */
export function lose(gone: (message: Message) => boolean): void {
  const lost = [...originals.value].filter(([, message]) => message && gone(message));
  if (lost.length > 0) originals.value = new Map([...originals.value, ...lost.map(([id]) => [id, null] as const)]);
}

/** loseOne says that a message is gone, which may be being asked for. */
export function loseOne(id: string): void {
  if (asked.has(id)) originals.value = new Map(originals.value).set(id, null);
}

/** How often they were to be asked for anew: whoever shows one needs it again then. */
export const round = signal(0);

/** askAgain has all of them asked for anew: events may have been lost. What is known is shown until there is an answer. */
export function askAgain(): void {
  asked.clear();
  round.value++;
}
