import { useState } from "preact/hooks";
import type { Conversation as Entry } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { go } from "../kit/state/route";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { minute } from "../text/format";
import { text } from "../text/text";
import { Composer } from "./Composer";
import { History } from "./History";
import { OnDuty } from "./later";
import { besideOf } from "./state/beside";
import { addressOf, choose, details } from "./state/conversations";
import { groupOf, isIn, mayWrite } from "./state/groups";
import { keyOf } from "./state/key";
import { removals } from "./state/notes";
import { named } from "./state/organizations";
import { parts } from "./state/parts";
import { shortNameOf } from "./state/people";
import { here, writing } from "./state/presence";
import { searchIn } from "./state/search";
import { beside } from "./state/urgent";
import { Visited } from "./Visited";

/** Conversation shows one: with whom it is, what was said, and where one writes. */
export function Conversation({ conversation }: { conversation: Entry }) {
  const { entity, organization_id: organization } = conversation;
  const key = keyOf(organization, entity.token);
  const other = details.value ? "" : "/details";
  const may = mayWrite(conversation);
  const group = groupOf(conversation);
  const [dropping, setDropping] = useState(false); // a file is held over it
  return (
    <section
      class={dropping ? "conversation dropping" : "conversation"}
      aria-label={entity.display_name}
      onDragOver={(event) => {
        if (!may) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={({ target, currentTarget, relatedTarget }) => {
        const inside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (target === currentTarget || !inside) setDropping(false);
      }}
      onDrop={(event) => {
        if (!may) return;
        event.preventDefault();
        setDropping(false);
        parts.composer?.attach(event.dataTransfer?.files ?? []);
      }}
    >
      <header>
        <Back />
        <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
        <div class="who">
          <h2 dir="auto">{entity.display_name}</h2>
          <p dir="auto">{[about(conversation, key), named(organization)].filter(Boolean).join(" · ")}</p>
          {group?.duty && <OnDuty group={group} />}
        </div>
        <button
          type="button"
          class="icon"
          aria-label={text("searchHere")}
          title={text("searchHere")}
          onClick={() => {
            if (!parts.search?.isShown()) choose(undefined); // there is room for one of both
            searchIn({ entity, organization });
            requestAnimationFrame(() => parts.search?.focus());
          }}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          class="icon"
          aria-label={text("details")}
          title={text("details")}
          aria-pressed={details.value}
          onClick={() => go(addressOf(conversation, other))}
        >
          <Icon name="info" />
        </button>
      </header>
      <Visited of={key} />
      <History key={key} conversation={conversation} />
      {may ? <Composer key={`${key} composer`} conversation={conversation} /> : <Outside of={conversation} />}
    </section>
  );
}

/** Back leads to the list, where there is no room for both. It says what is unread there. */
function Back() {
  const { unread, urgent } = beside.value;
  const said = unread === 0 ? "back" : urgent ? "backUrgent" : "backUnread";
  return (
    <button type="button" class="icon back" aria-label={text(said, { n: unread })} onClick={() => choose(undefined)}>
      <Icon name="back" />
      {unread > 0 && <span class={urgent ? "badge pressing" : "badge"}>{unread > 99 ? "99+" : unread}</span>}
    </button>
  );
}

/**
 * Outside stands for the composer in a group that one is not in: one may join it where it is public. In one of everybody
 * it says who writes.
 */
function Outside({ of: conversation }: { of: Entry }) {
  const group = groupOf(conversation);
  const { busy, run } = useBusy();
  if (isIn(conversation)) return <div class="outside"><p role="status">{text("administratorsWrite")}</p></div>;
  const removal = removals.value.get(keyOf(conversation.organization_id, conversation.entity.token));
  const join = async () => {
    try {
      await client.in(conversation.organization_id).addGroupMembers(conversation.entity.token, ["me"]);
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  return (
    <div class="outside">
      <p role="status" dir="auto">
        {removal && `${text("removedBy", { name: removal.by, time: minute(removal.time) })} `}
        {text(group?.num_members ? "notInGroup" : "leftGroup")}
      </p>
      {group?.is_public && !group.duty && (
        <button type="button" class="primary" aria-disabled={busy} onClick={() => void run(join)}>
          {text("joinGroup")}
        </button>
      )}
    </div>
  );
}

/** about is the line below the name: who is writing, or who is here, or what there is to know. */
function about({ entity }: Entry, key: string): string {
  const writers = writing.value.get(key);
  if ("num_members" in entity) {
    if (entity.num_members === 0) return "";
    const names = [...(writers ?? [])].map((token) => shortNameOf(token) ?? "").filter(Boolean);
    if (names.length === 1) return text("isWriting", { name: names[0] ?? "" });
    if (writers?.size) return text("areWriting", { n: writers.size });
    return text("people", { n: entity.num_members });
  }
  if (writers?.size) return text("writing");
  const now = entity.dnd ? entity.dnd_text || text("doNotDisturb") : here.value.get(entity.token) ? text("available") : entity.status;
  return [besideOf(entity), now].filter(Boolean).join(" · ");
}
