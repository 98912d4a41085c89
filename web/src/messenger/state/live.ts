// What happens, from the account's events, to what the page shows.
import { signal } from "@preact/signals";
import { type EventPayload, type Message, SignetError, type SignetEvent, TooManyStreamsError } from "../../client/index";
import { client, look, offline, resume, session } from "../../kit/state/session";
import * as conversations from "./conversations";
import * as history from "./history";
import { keyOfMessage } from "./key";
import { noteRead } from "./lifetime";
import * as messages from "./messages";
import { loadOrganizations } from "./organizations";
import * as outbox from "./outbox";
import * as people from "./people";
import * as presence from "./presence";
import * as seen from "./seen";
import * as statuses from "./statuses";

const pause = 3000; // milliseconds, before a stream is opened again that was refused

/** follow keeps the page up to date for as long as there is one; what has arrived is told. */
export async function follow(arrived: (message: Message) => void): Promise<void> {
  let connected = false;
  // Where the device has a network again, nobody waits for the end of a pause.
  let pausing = new AbortController();
  addEventListener("online", () => offline.value && pausing.abort());
  addEventListener("offline", () => (offline.value = true));
  for (;;) {
    pausing = new AbortController();
    const stream = client.events({
      signal: pausing.signal,
      acknowledge: true,
      selfCopies: true,
      typing: true,
      presence: true,
      onConnect: () => {
        offline.value = false;
        if (connected || conversations.loading.value) void catchUp();
        connected = true;
        outbox.flush();
        seen.settle();
      },
      // Polls stand in for a stream that made room for another one: the server is there.
      onDisconnect: (error) => (offline.value = !(error instanceof TooManyStreamsError)),
    });
    try {
      for await (const event of stream) {
        apply(event);
        if (event.kind === "message" || event.kind === "group_message") arrived(event.payload);
      }
      return;
    } catch (error) {
      if (pausing.signal.aborted) continue;
      if (!(error instanceof SignetError && error.status === 401)) throw error;
      // The session has ended, with which the page ends; unless the person has signed in again, in another tab.
      await look();
      await new Promise((resolve) => setTimeout(resolve, pause * (1 + Math.random())));
    }
  }
}

/** comeBack asks for what was read on other devices, of which no event tells. */
export function comeBack(): void {
  if (!offline.value && !conversations.loading.value) void catchUp();
}

/** How often the page is asking for what it may have missed. */
export const catching = signal(0);

/** catchUp asks for what events may not have told: another tab may have acknowledged them. */
async function catchUp(): Promise<void> {
  history.missed();
  statuses.forget();
  catching.value++;
  try {
    await Promise.all([conversations.load(), loadOrganizations()]);
    const open = conversations.current.value;
    if (open) await history.open(open);
  } catch {
    // the connection was lost again: the next one asks
  } finally {
    catching.value--;
  }
}

function apply(event: SignetEvent): void {
  switch (event.kind) {
    case "message":
    case "group_message":
      messages.add(event.payload);
      conversations.note(event.payload);
      presence.setWriting(keyOfMessage(event.payload), event.payload.sender_token, false);
      return;
    case "message:status":
    case "group:message:status":
      return applyStatus(event.payload);
    case "message:is_typing":
      return applyTyping(event.payload);
    case "presence":
      return presence.setHere(event.payload.from, event.payload.type === "available");
    case "update":
      if (event.payload.type === "tigertext:entity:account") people.know([event.payload]);
      return conversations.renew(event.payload);
    case "bang":
      people.know([event.payload.subject_entity]);
      return conversations.renew(event.payload.target_entity);
    case "account:settings":
      resume().catch(() => undefined); // the next connection asks
      loadOrganizations().catch(() => undefined);
      return conversations.reload();
    case "friends":
      conversations.renew(event.payload.friend);
      return conversations.reload();
    case "conversation_mute":
      return conversations.reload();
    default:
  }
}

function applyStatus(payload: EventPayload<"message:status">): void {
  if ("is_recalled" in payload) return recalled(payload.client_id);
  const ofAll = statuses.note(payload.client_id, payload);
  const to = (message: Message): Message => {
    const status = message.group_token ? ofAll : payload.status;
    return status === undefined || status === "Confirmed" ? message : { ...message, status };
  };
  messages.change(payload.client_id, to);
  conversations.changeLast(payload.client_id, to);
  const message = messages.get(payload.client_id);
  if (message?.status === "Read") noteRead(message, Date.parse(payload.timestamp));
}

/** recalled leaves of a message that it was taken back. */
export function recalled(id: string): void {
  const to = (message: Message): Message => ({ ...message, body: "", attachments: [], data: [], is_recalled: true });
  messages.change(id, to);
  conversations.changeLast(id, to);
  conversations.reload(); // it may have been unread
}

function applyTyping({ sender_token, group_token, status }: EventPayload<"message:is_typing">): void {
  if (sender_token === session.value?.account.token) return;
  const token = group_token ?? sender_token;
  for (const [key, { entity }] of conversations.conversations.value) {
    if (entity.token === token) presence.setWriting(key, sender_token, status === "typing");
  }
  if (status === "typing") presence.setHere(sender_token, true);
}
