import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Confirm } from "../kit/Confirm";
import { describe } from "../kit/describe";
import { placeOf } from "../kit/focus";
import { Icon } from "../kit/Icon";
import { longestMute } from "../kit/limits";
import { Select } from "../kit/Select";
import { go } from "../kit/state/route";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Duty } from "./Duty";
import { EditGroup } from "./EditGroup";
import { Files } from "./Files";
import { Inspected } from "./Inspected";
import { Members } from "./Members";
import { besideOf } from "./state/beside";
import { addressOf, change, reload } from "./state/conversations";
import { groupOf, isIn, isMember, mayChange } from "./state/groups";
import { type Level, levelOf, silence } from "./state/hearing";
import { inspected, wide } from "./state/inspected";
import { keyOf, keyOfMessage } from "./state/key";
import { get } from "./state/messages";
import { named } from "./state/organizations";

/** Details shows who a conversation is with, says how much is heard of it, and leaves it. */
export function Details({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization, muted } = conversation;
  const group = groupOf(conversation);
  const person = "num_members" in entity ? undefined : entity;
  const about = inspected.value === undefined ? undefined : get(inspected.value);
  const box = useRef<HTMLElement>(null);
  useEffect(() => () => void (inspected.value = undefined), []);
  useLayoutEffect(() => {
    const { current: aside } = box;
    const before = placeOf(document.activeElement);
    return () => aside?.contains(document.activeElement) && before();
  }, []);
  const where = named(organization);
  const [leaving, setLeaving] = useState(false);
  const [editing, setEditing] = useState(false);
  const there = client.in(organization);
  const mute = async (): Promise<void> => {
    const body = { sender_token: entity.token, receiver_organization: organization };
    if (group) await (muted ? there.unmuteGroup(entity.token) : there.muteGroup(entity.token, { duration: longestMute }));
    else await (muted ? there.unmuteConversation(body) : there.muteConversation({ ...body, duration: longestMute }));
  };
  const hear = async (of: Level) => {
    const key = keyOf(organization, entity.token);
    try {
      if (muted !== (of !== "all")) await mute();
      silence(key, of === "none");
      change(key, { muted: of !== "all" });
    } catch (error) {
      change(key, {}); // the choice shows again what is in force
      toast(describe(error), { danger: true });
    }
  };
  return (
    <aside ref={box} class="details" aria-label={text("details")}>
      <header>
        <h2>{text("details")}</h2>
        <button type="button" class="icon" aria-label={text("close")} onClick={() => go(addressOf(conversation))}>
          <Icon name="close" />
        </button>
      </header>
      {about && wide.value && keyOfMessage(about) === keyOf(organization, entity.token) && <Inspected message={about} />}
      <div class="card">
        <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
        <h3 dir="auto">{entity.display_name}</h3>
        {group ? (
          <p class="muted" dir="auto">{isMember(group) ? group.description : text(group.num_members ? "notInGroup" : "leftGroup")}</p>
        ) : person && (
          <>
            <p class="muted" dir="auto">{besideOf(person)}</p>
            {person.status && <p dir="auto">{person.status}</p>}
          </>
        )}
        {where && <p class="muted" dir="auto">{where}</p>}
        {isIn(conversation) && (
          <Select<Level>
            label={text("hear.of")}
            value={levelOf(conversation)}
            onChange={(of) => void hear(of)}
            options={{ all: text("hear.all"), urgent: text("hear.urgent"), none: text("hear.none") }}
          />
        )}
        <p class="doing">
          {group && mayChange(group) && (
            <button type="button" onClick={() => setEditing(true)}>
              <Icon name="edit" /> {text("editGroup")}
            </button>
          )}
          {group && isMember(group) && !group.everyone && !group.duty && (
            <button type="button" class="danger" onClick={() => setLeaving(true)}>
              <Icon name="leave" /> {text("leaveGroup")}
            </button>
          )}
        </p>
      </div>
      {group?.duty && <Duty group={group} />}
      {group && group.num_members > 0 && <Members group={group} />}
      <Files conversation={conversation} />
      {group && editing && <EditGroup group={group} onClose={() => setEditing(false)} />}
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
