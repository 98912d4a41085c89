// Notifications: a message that comes while nobody looks at its conversation is told by the system.
import { computed, effect, signal } from "@preact/signals";
import type { Message } from "../client/index";
import { show, withdraw } from "../kit/state/notifications";
import { session } from "../kit/state/session";
import { now } from "../text/clock";
import { text } from "../text/text";
import { preview } from "./preview";
import { addressOf, conversations, withLast } from "./state/conversations";
import { mayDisturb } from "./state/hearing";
import { keyOfMessage } from "./state/key";
import { endOf } from "./state/lifetime";
import { get, isUnread } from "./state/messages";
import { outbox } from "./state/outbox";
import { isOnScreen } from "./state/urgent";
import { hasVoice } from "./state/voice";

/** Nothing, that there is a message, also from whom, or also what. */
export type Notices = "off" | "sign" | "name" | "content";

/** stored is under what name the browser keeps the choice of whoever is signed in. The next one makes her own. */
function stored(): string {
  return `signet-notices-${session.value?.account.token ?? ""}`;
}

function choice(): Notices | undefined {
  const kept = localStorage.getItem(stored());
  return kept === "off" || kept === "sign" || kept === "name" || kept === "content" ? kept : undefined;
}

/** What the person chose on this device; undefined where nobody has chosen yet. */
const chosen = signal<Notices | undefined>(undefined);
effect(() => void (chosen.value = choice()));
addEventListener("storage", () => (chosen.value = choice())); // in another tab

export const notices = computed<Notices>(() => chosen.value ?? "off");

/**
 * choose keeps the choice, where the browser allows notifications; it is false where it does not. With anything but
 * "off" the browser is told of messages also while no page is open (push.ts).
 */
export async function choose(to: Notices): Promise<boolean> {
  if (to !== "off" && (!("Notification" in window) || (await Notification.requestPermission()) !== "granted")) return false;
  localStorage.setItem(stored(), to);
  chosen.value = to;
  return true;
}

/** There was a reason for notifications: a message came while nobody looked, or one waits for an answer. */
const useful = signal(false);
effect(() => {
  if (outbox.value.length > 0) useful.value = true;
});

/** Notifications are offered: once there is a reason, until somebody has chosen, where the browser does not refuse them. */
export const offered = computed(
  () => useful.value && chosen.value === undefined && "Notification" in window && Notification.permission !== "denied",
);

/** Of which conversations, by their keys; with the message whose words are shown, where they are. */
const shown = new Map<string, Message | undefined>();

/** tell shows that a message has come, unless one sees it anyway or wants no disturbance. */
export async function tell(message: Message): Promise<void> {
  const account = session.value?.account;
  const key = keyOfMessage(message);
  const conversation = conversations.value.get(key);
  if (!account || !isUnread(message)) return;
  if (!document.hasFocus()) useful.value = true;
  if (notices.value === "off" || !mayDisturb(message, conversation)) return;
  if (document.hasFocus() && conversation && isOnScreen(conversation)) return;
  if (!("Notification" in window) || Notification.permission !== "granted") return; // it was taken away since
  const urgent = message.priority > 0;
  // What takes the place of an urgent one stays as that would.
  const pressing = urgent || (conversation?.unread_priority_count ?? 0) > 0;
  const content = notices.value === "content" && conversation !== undefined;
  const renotify = urgent && hasVoice(); // in the place of another one it would come without a sign
  await put(key, { pressing, renotify, words: content ? preview(message) : undefined });
  shown.set(key, content ? message : undefined);
  settle(); // it may have been read meanwhile
}

/** put shows that there is something in a conversation: with words, or without. */
async function put(key: string, of: { pressing: boolean; renotify?: boolean; words?: string | undefined }): Promise<void> {
  const { pressing, renotify = false, words = text(pressing ? "newUrgent" : "newMessage") } = of;
  const conversation = conversations.value.get(key);
  const named = notices.value !== "sign" && conversation;
  await show(named ? conversation.entity.display_name : text("app"), {
    body: words,
    tag: key,
    requireInteraction: pressing,
    ...(renotify && { renotify }),
    icon: document.querySelector<HTMLLinkElement>("link[rel=apple-touch-icon]")?.href ?? "",
    data: { account: session.value?.account.token ?? "", address: conversation ? addressOf(conversation) : "/" },
  });
}

/** isGone tells whether a message was taken back, or is over. */
function isGone(message: Message): boolean {
  const { message_id: id } = message;
  return Boolean((get(id) ?? withLast(id))?.is_recalled) || (endOf(message) ?? Infinity) <= now.value;
}

/**
 * settle ends what is told of conversations that were read, here or elsewhere, or in which it was taken back. Where more
 * is unread, the words alone go of what is there no more.
 */
function settle(): void {
  const all = conversations.value; // asked for also while nothing is shown, as the time: else the effect would not run again
  void now.value;
  for (const [key, message] of shown) {
    const { unread_count, unread_priority_count: urgent = 0 } = all.get(key) ?? {};
    if (unread_count === 0) {
      shown.delete(key);
      void withdraw(key);
    } else if (message && isGone(message)) {
      shown.set(key, undefined);
      void put(key, { pressing: urgent > 0 });
    }
  }
}
effect(settle);
