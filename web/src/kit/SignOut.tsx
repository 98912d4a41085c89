import { useState } from "preact/hooks";
import { type Text, text } from "../text/text";
import { Confirm } from "./Confirm";
import { Icon } from "./Icon";
import { leave } from "./leave";
import { session, signOut } from "./state/session";
import { lostBySigningOut } from "./state/unsaved";

/**
 * SignOut is the sign at which one leaves, or the words. It asks first where something would be lost, as drafts of the
 * messenger are.
 */
export function SignOut({ words = false }: { words?: boolean }) {
  const [lost, setLost] = useState<Text>();
  const go = () => {
    const first = lostBySigningOut(session.value?.account.token ?? "");
    if (first) setLost(first);
    else leave();
  };
  return (
    <>
      {words ? (
        <button type="button" onClick={go}>{text("signOut")}</button>
      ) : (
        <button type="button" class="icon" aria-label={text("signOut")} title={text("signOut")} onClick={go}>
          <Icon name="leave" />
        </button>
      )}
      {lost && (
        <Confirm title={text("signOut")} act={text("signOut")} danger onConfirm={signOut} onClose={() => setLost(undefined)}>
          <p>{text(lost)}</p>
        </Confirm>
      )}
    </>
  );
}
