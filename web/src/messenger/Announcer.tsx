import { signal } from "@preact/signals";
import type { Message } from "../client/index";
import { conversations, current, keyOfMessage } from "../state/conversations";
import { nameOf } from "../state/people";
import { session } from "../state/session";
import { text } from "../text/text";
import { preview } from "../view/preview";

const heard = signal<{ id: string; words: string } | undefined>(undefined);

/** announce has screen readers say that a message has come: what it says where its conversation is open, else from whom. */
export function announce(message: Message): void {
  const account = session.value?.account;
  const conversation = conversations.value.get(keyOfMessage(message));
  if (message.sender_token === account?.token || message.status === "Read" || message.is_recalled) return;
  const open = conversation !== undefined && current.value === conversation;
  if (!open && (account?.dnd || conversation?.muted)) return;
  heard.value = { id: message.message_id, words: open ? said(message) : come(conversation?.entity.display_name) };
}

function said(message: Message): string {
  return `${nameOf(message.sender_token) ?? text("somebody")}: ${preview(message)}`;
}

function come(from: string | undefined): string {
  return from === undefined ? text("newMessage") : text("newMessageFrom", { name: from });
}

/** Announcer is read out when it changes, and not seen. */
export function Announcer() {
  return (
    <div class="unseen" role="log" aria-live="polite">
      {heard.value && <p key={heard.value.id} dir="auto">{heard.value.words}</p>}
    </div>
  );
}
