// Notifications: a message that comes while nobody looks at its conversation is told by the system.
import { effect, signal } from "@preact/signals";
import type { Message } from "../client/index";
import { show, withdraw } from "../kit/state/notifications";
import { session } from "../kit/state/session";
import { text } from "../text/text";
import { preview } from "./preview";
import { addressOf, conversations, current } from "./state/conversations";
import { keyOfMessage } from "./state/key";
import { isUnread } from "./state/messages";

/** Nothing, that there is a message, or also from whom and what. */
export type Notices = "off" | "sign" | "content";

/** stored is under what name the browser keeps the choice of whoever is signed in. The next one makes her own. */
function stored(): string {
  return `signet-notices-${session.value?.account.token ?? ""}`;
}

function choice(): Notices {
  const kept = localStorage.getItem(stored());
  return kept === "sign" || kept === "content" ? kept : "off";
}

/** What the person chose on this device. */
export const notices = signal<Notices>("off");
effect(() => void (notices.value = choice()));
addEventListener("storage", () => (notices.value = choice())); // in another tab

/** choose keeps the choice, where the browser allows notifications; it is false where it does not. */
export async function choose(to: Notices): Promise<boolean> {
  if (to !== "off" && (!("Notification" in window) || (await Notification.requestPermission()) !== "granted")) return false;
  if (to === "off") localStorage.removeItem(stored());
  else localStorage.setItem(stored(), to);
  notices.value = to;
  return true;
}

const shown = new Set<string>(); // of which conversations

/** tell shows that a message has come, unless one sees it anyway or wants no disturbance. */
export async function tell(message: Message): Promise<void> {
  const account = session.value?.account;
  const key = keyOfMessage(message);
  const conversation = conversations.value.get(key);
  if (!account || notices.value === "off" || account.dnd || conversation?.muted) return;
  if (!isUnread(message)) return;
  if (document.hasFocus() && conversation && current.value === conversation) return;
  const content = notices.value === "content" && conversation;
  const title = content ? conversation.entity.display_name : text("app");
  await show(title, {
    body: content ? preview(message) : text("newMessage"),
    tag: key,
    icon: document.querySelector<HTMLLinkElement>("link[rel=apple-touch-icon]")?.href ?? "",
    data: { account: account.token, address: conversation ? addressOf(conversation) : "/" },
  });
  shown.add(key);
  settle(); // it may have been read meanwhile
}

/** settle ends what is told of conversations that were read, here or elsewhere, or in which it was taken back. */
function settle(): void {
  const all = conversations.value; // asked for also while nothing is shown: else the effect would not run again
  for (const key of shown) {
    if (all.get(key)?.unread_count !== 0) continue;
    shown.delete(key);
    void withdraw(key);
  }
}
effect(settle);
