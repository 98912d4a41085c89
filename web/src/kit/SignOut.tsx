import { useState } from "preact/hooks";
import { text } from "../text/text";
import { Confirm } from "./Confirm";
import { describe } from "./describe";
import { Icon } from "./Icon";
import { keepsDrafts } from "./state/kept";
import { session, signOut } from "./state/session";
import { toast } from "./Toasts";

/** leave signs out. Without a connection the session goes on, which is said. */
export function leave(): void {
  signOut().catch((error: unknown) => toast(describe(error), { danger: true }));
}

/** SignOut is the sign at which one leaves. It asks first where drafts of the messenger would be lost. */
export function SignOut() {
  const [asking, setAsking] = useState(false);
  const go = () => (keepsDrafts(session.value?.account.token ?? "") ? setAsking(true) : leave());
  return (
    <>
      <button type="button" class="icon" aria-label={text("signOut")} title={text("signOut")} onClick={go}>
        <Icon name="leave" />
      </button>
      {asking && (
        <Confirm title={text("signOut")} act={text("signOut")} danger onConfirm={signOut} onClose={() => setAsking(false)}>
          <p>{text("signOutDrafts")}</p>
        </Confirm>
      )}
    </>
  );
}
