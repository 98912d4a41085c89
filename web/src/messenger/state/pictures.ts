// Pictures of messages, which are shown in place. The last that were shown are kept.
import { signal } from "@preact/signals";
import type { Message } from "../../client/index";
import { client } from "../../kit/state/session";
import { messages } from "./messages";
import { isSealed } from "./seen";

const shown = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const largest = 10e6; // bytes; larger ones are downloaded only
const most = 40;

/** Addresses of pictures by message; an empty one could not be loaded. */
export const pictures = signal<ReadonlyMap<string, string>>(new Map());

const asked = new Set<string>();

/** isPicture tells whether a message's file is shown in place: no other kind is harmless. */
export function isPicture({ type, size }: { type: string; size: number }): boolean {
  return shown.includes(type.toLowerCase()) && size <= largest;
}

/** picturesIn are the messages with a picture in a conversation, of those that are loaded and open, oldest first. */
export function picturesIn(key: string): readonly Message[] {
  return (messages.value.get(key) ?? []).filter((message) => {
    const file = message.attachments?.[0];
    return file && isPicture({ type: file["content-type"], size: file.size }) && !isSealed(message);
  });
}

/** needPicture loads a message's picture. */
export function needPicture({ message_id: id, attachments }: Message): void {
  const type = attachments?.[0]?.["content-type"].toLowerCase();
  if (type === undefined || asked.has(id)) return;
  asked.add(id);
  client.getAttachment(id).then(async (download) => {
    const blob = new Blob([await download.blob()], { type });
    set(id, URL.createObjectURL(blob));
  }).catch(() => set(id, ""));
}

/** forgetPicture gives up a picture whose message is gone. */
export function forgetPicture(id: string): void {
  const all = new Map(pictures.value);
  const address = all.get(id);
  if (address) URL.revokeObjectURL(address);
  if (all.delete(id)) pictures.value = all;
  asked.delete(id);
}

function set(id: string, address: string): void {
  pictures.value = new Map(pictures.value).set(id, address);
  const oldest = pictures.value.keys().next().value;
  if (pictures.value.size > most && oldest !== undefined) forgetPicture(oldest);
}
