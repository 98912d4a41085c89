import { placeOf } from "../kit/focus";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { choose, type Notices, offered } from "./notices";

/** Offer offers notifications when they would be of use. The browser asks for itself only who has said yes here. */
export function Offer() {
  const { busy, run } = useBusy();
  if (!offered.value) return null;
  /** answer is given by a button that goes with it: the focus does not. */
  const answer = async (to: Notices) => {
    const near = placeOf(document.activeElement);
    const allowed = await choose(to);
    if (allowed) requestAnimationFrame(() => document.activeElement === document.body && near());
    return allowed;
  };
  const turnOn = async () => {
    if (await answer("sign")) return toast(text("notices.turnedOn"));
    toast(text("notices.refused"), { danger: true });
    if (Notification.permission === "denied") await answer("off"); // who has closed the browser's question may be asked again
  };
  return (
    <div class="offer" role="group" aria-label={text("notices")}>
      <p>{text("notices.offer")}</p>
      <button type="button" class="quiet" aria-disabled={busy} onClick={() => void run(turnOn)}>
        {text("turnOn")}
      </button>
      <button type="button" class="quiet" onClick={() => void answer("off")}>
        {text("notNow")}
      </button>
    </div>
  );
}
