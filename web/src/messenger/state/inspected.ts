// The message that one wants to know more of: how far it got with whom, and how long it lasts.
import { signal } from "@preact/signals";
import { go } from "../../kit/state/route";
import { addressOf, current, details } from "./conversations";

/** Its id. */
export const inspected = signal<string | undefined>(undefined);

/** There is room for details beside the conversation, as the style has it (messenger.css). */
export const wide = signal(false);

const room = matchMedia("(min-width: 1100px)");
room.onchange = () => (wide.value = room.matches);
wide.value = room.matches;

/** inspect shows the details of a message: beside the conversation where there is room, else over it. */
export function inspect(id: string): void {
  wide.value = room.matches; // of a window that has changed one is told with its next frame only
  inspected.value = id;
  const open = current.value;
  if (wide.value && open && !details.value) go(addressOf(open, "/details"));
}
