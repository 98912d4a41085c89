import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { text } from "../text/text";
import { begin } from "./Search";
import { byName } from "./state/organizations";

/** Welcome says to somebody who has no conversations yet how they begin. */
export function Welcome({ onGroup }: { onGroup: () => void }) {
  const account = session.value?.account;
  const [organization, ...others] = byName.value;
  return (
    <div class="welcome">
      {organization && others.length === 0 && <p dir="auto"><strong>{organization.name}</strong></p>}
      <p>{text("noConversations")}</p>
      <p class="muted">{text("howToBegin")}</p>
      <p class="doing">
        <button type="button" class="primary" onClick={begin}>
          <Icon name="edit" /> {text("writeToSomebody")}
        </button>
        <button type="button" onClick={onGroup}>
          <Icon name="people" /> {text("createAGroup")}
        </button>
      </p>
      {account && (
        <p class="muted" dir="auto">
          {text("foundAs", { name: [account.display_name, account.username].filter(Boolean).join(", ") })}
        </p>
      )}
    </div>
  );
}
