// A message that comes makes itself heard: by a sound, and by a trembling device.
import type { Message } from "../client/index";
import { conversations } from "./state/conversations";
import { hearing, mayDisturb } from "./state/hearing";
import { keyOfMessage } from "./state/key";
import { isUnread } from "./state/messages";
import { play } from "./state/sounds";
import { isOnScreen } from "./state/urgent";
import { hasVoice } from "./state/voice";

const patterns = { urgent: [300, 120, 300, 120, 300], other: [120] } as const; // milliseconds: on, off, on
const apart = 1500; // milliseconds: of several that come at once, one is heard
const last = { urgent: -Infinity, other: -Infinity };

/** Whether the device can tremble. Browsers of desks say so too, of which nobody holds the device. */
export const trembles = "vibrate" in navigator && matchMedia("(pointer: coarse)").matches;

/** hear has a message heard, in one tab, unless one sees it anyway or wants no disturbance. */
export function hear(message: Message): void {
  const conversation = conversations.value.get(keyOfMessage(message));
  if (!hasVoice() || !isUnread(message) || !mayDisturb(message, conversation)) return;
  const kind = message.priority > 0 ? "urgent" : "other";
  if (kind === "other" && document.hasFocus() && conversation && isOnScreen(conversation)) return;
  if (performance.now() - last[kind] < apart) return;
  last[kind] = performance.now();
  const { [kind]: sound, vibrate } = hearing.value;
  void play(sound);
  // Until somebody has touched the page, browsers refuse it with an error in the console.
  const touched = (navigator as { userActivation?: UserActivation }).userActivation?.hasBeenActive;
  if (trembles && touched && vibrate && (kind === "urgent" || sound !== "none")) navigator.vibrate(patterns[kind]);
}
