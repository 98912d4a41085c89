import { signal } from "@preact/signals";
import type { Conversation, Message } from "../client/index";
import { text } from "../text/text";
import { pieces, said as saidOf } from "./noted";
import { preview } from "./preview";
import { conversations, current, isOpen } from "./state/conversations";
import { isWanted } from "./state/hearing";
import { keyOf, keyOfMessage } from "./state/key";
import { get, isUnread } from "./state/messages";
import { latest } from "./state/notes";
import { lookUp, nameOf } from "./state/people";
import { isOnScreen } from "./state/urgent";

/** What was announced last. With its content it is there as long as the page shows that message. */
const heard = signal<{ message: Message; words: string; content: boolean } | undefined>(undefined);

/**
 * announce has screen readers say that a message has come: what it says where its conversation is open, else from whom.
 * Of a sender whom the page does not know yet it waits for the name.
 */
export async function announce(message: Message): Promise<void> {
  if (nameOf(message.sender_token) === undefined) await lookUp(message.sender_token, message.recipient_organization);
  const conversation = conversations.value.get(keyOfMessage(message));
  if (!isUnread(message)) return;
  const content = isOpen(keyOfMessage(message));
  // What is urgent elsewhere, its note says (Urgent.tsx).
  if (message.priority > 0 && !(conversation && isOnScreen(conversation))) return;
  if (!content && !isWanted(message, conversation)) return;
  heard.value = { message, content, words: content ? said(message) : come(message, conversation) };
}

function said(message: Message): string {
  return `${nameOf(message.sender_token) ?? text("somebody")}: ${preview(message)}`;
}

/** come says from whom a message is, or in which group it is; the list may not have that yet. */
function come(message: Message, conversation: Conversation | undefined): string {
  const from = conversation?.entity.display_name ?? (message.group_token ? undefined : nameOf(message.sender_token));
  return from === undefined ? text("newMessage") : text("newMessageFrom", { name: from });
}

/** Announcer is read out when it changes, and not seen. */
export function Announcer() {
  const news = heard.value;
  const id = news?.message.message_id ?? "";
  const message = get(id);
  const there = news && (!news.content || (isOpen(keyOfMessage(news.message)) && message && !message.is_recalled));
  const open = current.value;
  const change = latest.value;
  const here = change && open && change.key === keyOf(open.organization_id, open.entity.token);
  return (
    <div class="unseen" role="log" aria-live="polite">
      {here && <p key={change.note.sort_number} dir="auto">{pieces(saidOf(change.note)).map(({ words }) => words).join("")}</p>}
      {there && <p key={id} dir="auto">{news.words}</p>}
    </div>
  );
}
