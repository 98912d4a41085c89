import { useState } from "preact/hooks";
import { type Text, text } from "../text/text";
import { Confirm } from "./Confirm";
import { Icon } from "./Icon";
import { leave } from "./leave";
import { keepsDrafts } from "./state/kept";
import { session, signOut } from "./state/session";
import { unsaved } from "./state/unsaved";

/** SignOut is the sign at which one leaves. It asks first where drafts of the messenger, or something else, would be lost. */
export function SignOut() {
  const [lost, setLost] = useState<Text>();
  const go = () => {
    const drafts = keepsDrafts(session.value?.account.token ?? "") ? "signOutDrafts" : undefined;
    const first = [...unsaved.value.values()][0] ?? drafts;
    if (first) setLost(first);
    else leave();
  };
  return (
    <>
      <button type="button" class="icon" aria-label={text("signOut")} title={text("signOut")} onClick={go}>
        <Icon name="leave" />
      </button>
      {lost && (
        <Confirm title={text("signOut")} act={text("signOut")} danger onConfirm={signOut} onClose={() => setLost(undefined)}>
          <p>{text(lost)}</p>
        </Confirm>
      )}
    </>
  );
}
