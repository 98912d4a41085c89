import type { Conversation } from "../client/index";
import { addressOf } from "../state/conversations";
import { go } from "../state/route";
import { text } from "../text/text";
import { Avatar } from "../view/Avatar";
import { Icon } from "../view/Icon";

/** Details shows who a conversation is with. */
export function Details({ conversation }: { conversation: Conversation }) {
  const { entity } = conversation;
  return (
    <aside class="details" aria-label={text("details")}>
      <header>
        <h2>{text("details")}</h2>
        <button type="button" class="icon" aria-label={text("close")} onClick={() => go(addressOf(conversation))}>
          <Icon name="close" />
        </button>
      </header>
      <div class="card">
        <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
        <h3 dir="auto">{entity.display_name}</h3>
        {"num_members" in entity && <p class="muted">{text("people", { n: entity.num_members })}</p>}
      </div>
    </aside>
  );
}
