// What is being sent, in order: kept for this tab until it is on the server's disk.
import { effect, signal } from "@preact/signals";
import { SignetError } from "../client/index";
import * as conversations from "./conversations";
import * as messages from "./messages";
import { client } from "./session";

/** Letter is a message that is not on the server's disk yet. */
export interface Letter {
  /** Its Request-ID: however often it is sent, the server makes one message. */
  id: string;
  recipient: string;
  organization: string;
  body: string;
  /** Why the server refused it. */
  refused?: string;
}

const stored = "signet-outbox";

export const outbox = signal<readonly Letter[]>(JSON.parse(sessionStorage.getItem(stored) ?? "[]") as Letter[]);
effect(() => sessionStorage.setItem(stored, JSON.stringify(outbox.value)));

let sending = false;

/** send puts a message into the outbox, and sends what is in it. */
export function send(letter: Omit<Letter, "id">): void {
  outbox.value = [...outbox.value, { ...letter, id: crypto.randomUUID() }];
  void flush();
}

/** again sends one that was refused once more. */
export function again(id: string): void {
  outbox.value = outbox.value.map(({ refused, ...letter }) => (letter.id === id || !refused ? letter : { ...letter, refused }));
  void flush();
}

/** flush sends what waits, one after the other. Without a connection it waits on. */
export async function flush(): Promise<void> {
  if (sending) return;
  sending = true;
  try {
    for (let letter; (letter = outbox.value.find((l) => l.refused === undefined)); ) {
      const { id, recipient, organization, body } = letter;
      try {
        const sent = await client
          .in(organization)
          .sendMessage({ recipient, body }, { request_id: id, response_format: "message" });
        outbox.value = outbox.value.filter((l) => l.id !== id);
        if (sent.message) {
          messages.add(sent.message);
          await conversations.note(sent.message);
        }
      } catch (error) {
        if (!(error instanceof SignetError)) return; // when there is a connection again
        outbox.value = outbox.value.map((l) => (l.id === id ? { ...l, refused: error.message } : l));
      }
    }
  } finally {
    sending = false;
  }
}
