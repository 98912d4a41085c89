// Urgent messages that are not on the screen, and that nobody has read yet.
import { computed, effect, untracked } from "@preact/signals";
import type { Conversation, Message } from "../../client/index";
import { dialogs } from "../../kit/Toasts";
import { beyond, conversations, count, current, details, unreadOf } from "./conversations";
import { hearing, levelOf, silence } from "./hearing";
import { open } from "./history";
import { wide } from "./inspected";
import { keyOf } from "./key";
import { isUnread, messages, stale, unreadIn } from "./messages";

/** A conversation with urgent messages. */
export interface Urgent {
  readonly conversation: Conversation;
  /** The newest of them; undefined while it is not known. */
  readonly message: Message | undefined;
}

/** isOnScreen tells whether a conversation is open, and nothing in its place or over it. */
export function isOnScreen(conversation: Conversation): boolean {
  return current.value === conversation && (!details.value || wide.value) && dialogs.value.length === 0;
}

function isUrgent(message: Message): boolean {
  return message.priority > 0 && isUnread(message);
}

function newestOf({ organization_id, entity, last_message: last }: Conversation): Message | undefined {
  const loaded = messages.value.get(keyOf(organization_id, entity.token)) ?? [];
  const known = last && loaded.some(({ message_id }) => message_id === last.message_id);
  return last && !known && isUrgent(last) ? last : loaded.findLast(isUrgent);
}

/** mayBe tells whether there are urgent messages, as far as it is known: the list may be about to be loaded again. */
function mayBe({ organization_id, entity, sort_number }: Conversation): boolean {
  const known = unreadIn(keyOf(organization_id, entity.token), sort_number);
  return !known || known.some(isUrgent);
}

/** Newest first, without the conversations of which somebody wants to hear nothing. */
export const urgent = computed<readonly Urgent[]>(() =>
  [...conversations.value.values()]
    .filter((one) => one.unread_priority_count > 0 && levelOf(one) !== "none" && !isOnScreen(one) && mayBe(one))
    .map((conversation) => ({ conversation, message: newestOf(conversation) }))
    .sort((a, b) => sortOf(b) - sortOf(a)),
);

function sortOf({ conversation, message }: Urgent): number {
  return message?.sort_number ?? conversation.sort_number;
}

/** How many urgent messages they have. */
export const urgentCount = computed(() =>
  urgent.value.reduce((sum, { conversation }) => sum + conversation.unread_priority_count, 0),
);

/** What is unread in other conversations than the one that is open, and whether something of it is urgent. */
export const beside = computed(() => {
  const others = [...conversations.value.values()].filter((one) => one !== current.value);
  return {
    unread: beyond.value + unreadOf(others),
    urgent: others.some(({ unread_priority_count }) => unread_priority_count > 0),
  };
});

const mutedBefore = new Map<string, boolean>(); // as the list said last, by the conversation's key

// What is unmuted anywhere is silent no more, also when it is muted again. Another tab's choice may come before its list.
effect(() => {
  for (const { muted, sort_number, organization_id, entity } of conversations.value.values()) {
    if (sort_number === 0) continue; // it may be made up here
    const key = keyOf(organization_id, entity.token);
    const before = mutedBefore.get(key) ?? true;
    mutedBefore.set(key, muted);
    if (before && !muted && hearing.peek().silent.includes(key)) untracked(() => silence(key, false));
  }
});

const most = 1000; // unread messages up to which the urgent ones among them are looked for
const looked = new Map<string, number>(); // at which sort_number, by the conversation's key
const going = new Set<string>();

async function look(conversation: Conversation, key: string): Promise<void> {
  going.add(key);
  try {
    await open(conversation);
    count(key);
  } catch {
    looked.delete(key); // the next list tries again
  } finally {
    going.delete(key);
  }
}

// The list says that there are urgent messages, and of most not what they say: the conversation is loaded as if opened.
effect(() => {
  for (const conversation of conversations.value.values()) {
    const { unread_priority_count, unread_count, sort_number, organization_id, entity } = conversation;
    if (unread_priority_count === 0 || unread_count > most) continue;
    const key = keyOf(organization_id, entity.token);
    if (unreadIn(key, sort_number) || (looked.get(key) === sort_number && !stale.has(key))) continue;
    if (going.has(key)) continue;
    looked.set(key, sort_number);
    untracked(() => void look(conversation, key));
  }
});
