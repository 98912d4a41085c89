import { describe } from "./describe";
import { signOut } from "./state/session";
import { toast } from "./Toasts";

/** leave signs out. Without a connection the session goes on, which is said. */
export function leave(): void {
  signOut().catch((error: unknown) => toast(describe(error), { danger: true }));
}
