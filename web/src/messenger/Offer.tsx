import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { choose, offered } from "./notices";

/** Offer offers notifications when they would be of use. The browser asks for itself only who has said yes here. */
export function Offer() {
  const { busy, run } = useBusy();
  if (!offered.value) return null;
  const turnOn = async () => {
    if (await choose("sign")) return toast(text("noticesTurnedOn"));
    toast(text("noticesRefused"), { danger: true });
    if (Notification.permission === "denied") await choose("off"); // who has closed the browser's question may be asked again
  };
  return (
    <div class="offer" role="group" aria-label={text("notices")}>
      <p>{text("noticesOffer")}</p>
      <button type="button" class="quiet" aria-disabled={busy} onClick={() => void run(turnOn)}>
        {text("turnOn")}
      </button>
      <button type="button" class="quiet" onClick={() => void choose("off")}>
        {text("notNow")}
      </button>
    </div>
  );
}
