import { useState } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { leave } from "../kit/leave";
import { Menu } from "../kit/Menu";
import { signOut } from "../kit/state/session";
import { text } from "../text/text";
import { Confirm } from "./later";
import { isWritten } from "./state/drafts";
import { outbox } from "./state/outbox";

/** OwnMenu leads to what is one's own: the settings, the keys, and the way out. */
export function OwnMenu({ onSettings, onHelp }: { onSettings: () => void; onHelp: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Menu
        label={text("own")}
        choices={() => [
          { label: text("settings"), icon: "settings", onChoose: onSettings },
          { label: text("help"), icon: "help", onChoose: onHelp },
          {
            label: text("signOut"),
            icon: "leave",
            onChoose: () => (isWritten() || outbox.value.length > 0 ? setAsking(true) : leave()),
          },
        ]}
      >
        <Icon name="person" />
      </Menu>
      {asking && (
        <Confirm title={text("signOut")} act={text("signOut")} danger onConfirm={signOut} onClose={() => setAsking(false)}>
          <p>{text(outbox.value.length > 0 ? "signOutUnsent" : "signOutDrafts")}</p>
        </Confirm>
      )}
    </>
  );
}
