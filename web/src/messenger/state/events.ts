// What happens, from the account's events, to what the page shows.
import { batch, effect, untracked } from "@preact/signals";
import type { EventPayload, Message, Organization, SignetEvent } from "../../client/index";
import { resume, session } from "../../kit/state/session";
import { toast } from "../../kit/Toasts";
import { text } from "../../text/text";
import * as conversations from "./conversations";
import { noteAnswer, noteEscalation } from "./escalations";
import * as history from "./history";
import { keyOf, keyOfMessage } from "./key";
import { noteRead } from "./lifetime";
import * as messages from "./messages";
import * as notes from "./notes";
import { loadOrganizations, organizations } from "./organizations";
import { lose, loseOne } from "./originals";
import * as people from "./people";
import * as presence from "./presence";
import { changeHits } from "./search";
import * as statuses from "./statuses";
import { noteVacancy } from "./vacancies";

/** apply takes over what an event tells. */
export function apply(event: SignetEvent): void {
  switch (event.kind) {
    case "message":
    case "group_message":
      messages.add(event.payload);
      // Of the one that is open, History knows whether somebody reads what is old.
      if (!conversations.isOpen(keyOfMessage(event.payload))) history.trim(keyOfMessage(event.payload));
      conversations.note(event.payload);
      presence.setWriting(keyOfMessage(event.payload), event.payload.sender_token, false);
      return;
    case "message:status":
    case "group:message:status":
      return applyStatus(event.payload);
    case "message:escalated":
      return noteEscalation(event.payload.client_id);
    case "message:is_typing":
      return applyTyping(event.payload);
    case "presence":
      return presence.setHere(event.payload.from, event.payload.type === "available");
    case "update":
      if (event.payload.type === "tigertext:entity:account") people.know([event.payload]);
      else changed(event.payload, event.payload.sort_number);
      return conversations.renew(event.payload);
    case "bang":
      return moved(event.payload);
    case "account:settings":
      resume().catch(() => undefined); // the next connection asks
      loadOrganizations().catch(() => undefined);
      return conversations.reload();
    case "friends":
      if (event.payload.friend.action === "del") void gone(event.payload.friend);
      else conversations.renew(event.payload.friend);
      return conversations.reload();
    case "admin_request":
      return void noteVacancy(event.payload);
    case "conversation_mute":
      return conversations.reload();
    default:
  }
}

/** moved takes over that somebody came into a group, or went. */
function moved(bang: EventPayload<"bang">): void {
  const { event, subject_entity: subject, caller_entity: caller, target_entity: group } = bang;
  people.know([subject]);
  conversations.renew(group);
  changed(group, bang.sort_number);
  if (subject.token !== session.value?.account.token) return;
  const taken = event === "removed" && caller.token !== subject.token;
  notes.noteRemoval(keyOf(group.organization_key, group.token), taken ? { by: caller.display_name, time: bang.created_on } : undefined);
}

/** changed has the notes loaded of what changed of a group. */
function changed(group: { token: string; organization_key?: string }, sort: number | undefined): void {
  if (sort !== undefined && group.organization_key) history.noteChange(group.token, group.organization_key, sort);
}

function applyStatus(payload: EventPayload<"message:status">): void {
  if ("is_recalled" in payload) return recalled(payload.client_id);
  const ofAll = statuses.note(payload.client_id, payload);
  const last = conversations.withLast(payload.client_id);
  // How far it got with all is asked for where it is shown: the list shows it of the last one.
  if (last?.group_token && ofAll === undefined) statuses.need(last);
  const to = (message: Message): Message => {
    const status = message.group_token ? ofAll : payload.status;
    if (status === undefined && payload.status !== "Confirmed") return message;
    const after: Message = status === undefined ? message : { ...message, status: status === "Confirmed" ? "Read" : status };
    if (payload.status !== "Confirmed") return after;
    return { ...after, confirmed_by: [...new Set([...(message.confirmed_by ?? []), payload.account_id])] };
  };
  if (payload.status === "Read" || payload.status === "Confirmed") noteAnswer(messages.get(payload.client_id) ?? last);
  messages.change(payload.client_id, to);
  conversations.changeLast(payload.client_id, to);
  const message = messages.get(payload.client_id);
  if (message?.status === "Read") noteRead(message, Date.parse(payload.timestamp));
}

/** gone forgets what was said with somebody or in a group, and asks which of it the account still has. */
async function gone(friend: EventPayload<"friends">["friend"]): Promise<void> {
  const key = keyOf(friend.organization_id, friend.token);
  const known = conversations.conversations.value.get(key);
  forget(key);
  conversations.renew(friend);
  conversations.empty(key);
  // Of one that is open, what is left is asked for at once; of the others when they are opened.
  if (known && conversations.isOpen(key)) {
    await history.open(known).catch(() => undefined); // nothing is left
  }
}

/** forget forgets what was said in a conversation. */
function forget(key: string): void {
  history.forget(key);
  lose((message) => keyOfMessage(message) === key);
  changeHits((message) => (keyOfMessage(message) === key ? undefined : message));
}

let before: ReadonlyMap<string, Organization> = new Map();

// What was said in an organization is not for who is in it no more.
effect(() => {
  const now = organizations.value;
  for (const [token, { name }] of before) {
    if (now.has(token)) continue;
    toast(text("noMember", { name }));
    untracked(() => batch(() => conversations.leave(token).forEach(forget)));
  }
  before = now;
});

/** recalled leaves of a message that it was taken back. */
export function recalled(id: string): void {
  const to = ({ reply_to: _, ...message }: Message): Message => ({
    ...message, body: "", attachments: [], data: [], is_recalled: true,
  });
  loseOne(id);
  changeHits((message) => (message.message_id === id ? to(message) : message));
  messages.change(id, to);
  conversations.changeLast(id, to);
  conversations.reload(); // it may have been unread
}

// What one takes back oneself no event tells to one's other tabs.
const tabs = new BroadcastChannel("signet-recalled");
tabs.onmessage = ({ data }: MessageEvent<string>) => recalled(data);

/** takenBack leaves of a message that one took it back, in all tabs. */
export function takenBack(id: string): void {
  recalled(id);
  tabs.postMessage(id);
}

function applyTyping({ sender_token, group_token, status }: EventPayload<"message:is_typing">): void {
  if (sender_token === session.value?.account.token) return;
  const token = group_token ?? sender_token;
  for (const [key, { entity }] of conversations.conversations.value) {
    if (entity.token === token) presence.setWriting(key, sender_token, status === "typing");
  }
  if (status === "typing") presence.setHere(sender_token, true);
}
