import { useState } from "preact/hooks";
import type { Conversation } from "../client/index";
import { addressOf, change, keyOf, reload } from "../state/conversations";
import { here } from "../state/presence";
import { go } from "../state/route";
import { client, session } from "../state/session";
import { text } from "../text/text";
import { Avatar } from "../view/Avatar";
import { Confirm } from "../view/Confirm";
import { describe } from "../view/describe";
import { Icon } from "../view/Icon";
import { toast } from "../view/Toasts";
import { useLoaded } from "../view/useLoaded";

/** Minutes of a mute that lasts until it is ended: the longest there is. */
const forever = 525_600;

/** Details shows who a conversation is with, and mutes it or leaves it. */
export function Details({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization, muted } = conversation;
  const group = "num_members" in entity;
  const [leaving, setLeaving] = useState(false);
  const there = client.in(organization);
  const mute = async () => {
    const body = { sender_token: entity.token, receiver_organization: organization };
    try {
      if (group) await (muted ? there.unmuteGroup(entity.token) : there.muteGroup(entity.token, { duration: forever }));
      else await (muted ? there.unmuteConversation(body) : there.muteConversation({ ...body, duration: forever }));
      change(keyOf(organization, entity.token), { muted: !muted });
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
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
        {group ? (
          <p class="muted">{text("people", { n: entity.num_members })}</p>
        ) : (
          <>
            <p class="muted" dir="auto">{[entity.title, entity.department].filter(Boolean).join(" · ")}</p>
            {entity.status && <p dir="auto">{entity.status}</p>}
          </>
        )}
        <p class="doing">
          <button type="button" aria-pressed={muted} onClick={() => void mute()}>
            <Icon name={muted ? "bell" : "bellOff"} /> {text(muted ? "unmute" : "mute")}
          </button>
          {group && (
            <button type="button" class="danger" onClick={() => setLeaving(true)}>
              <Icon name="leave" /> {text("leaveGroup")}
            </button>
          )}
        </p>
      </div>
      {group && <Members token={entity.token} organization={organization} count={entity.num_members} />}
      {leaving && (
        <Confirm
          title={text("leaveGroup")}
          act={text("leaveGroup")}
          danger
          onClose={() => setLeaving(false)}
          onConfirm={async () => {
            await there.removeGroupMembers(entity.token, ["me"]);
            go("/");
            reload();
          }}
        >
          <p>{text("leaveGroupWhy", { name: entity.display_name })}</p>
        </Confirm>
      )}
    </aside>
  );
}

function Members(props: { token: string; organization: string; count: number }) {
  const { value, problem } = useLoaded(
    () => client.in(props.organization).getGroupMembers(props.token),
    [props.token, props.organization, props.count],
  );
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  return (
    <ul class="members" aria-label={text("people", { n: props.count })}>
      {value?.map((one) => (
        <li key={one.token}>
          <Avatar name={one.display_name} token={one.token} picture={one.avatar} />
          <bdi>{one.display_name}</bdi>
          {one.token === session.value?.account.token && <em>{text("you")}</em>}
          {here.value.get(one.token) && <small>{text("available")}</small>}
        </li>
      ))}
    </ul>
  );
}
