import { text } from "../text/text";
import { describe } from "./describe";
import { Icon } from "./Icon";
import { signOut } from "./state/session";
import { toast } from "./Toasts";

/** leave signs out. Without a connection the session goes on, which is said. */
export function leave(): void {
  signOut().catch((error: unknown) => toast(describe(error), { danger: true }));
}

/** SignOut is the sign at which one leaves. */
export function SignOut() {
  return (
    <button type="button" class="icon" aria-label={text("signOut")} title={text("signOut")} onClick={leave}>
      <Icon name="leave" />
    </button>
  );
}
