import type { Message } from "../client/index";
import { text } from "../text/text";

/** preview says in a line what a message holds. */
export function preview(message: Message): string {
  if (message.is_recalled) return text("recalled");
  if (message.dor) return text("sealed"); // one's own too: who looks over one's shoulder is to see as little
  if (message.body) return message.body.replace(/^(>.*\n)+\n?/, "").slice(0, 200);
  return message.attachments?.[0]?.name ?? text("data");
}
