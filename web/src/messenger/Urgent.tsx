import { effect, signal, untracked } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { leaveDialogs, wouldLose } from "../kit/leaving";
import { session } from "../kit/state/session";
import { dialogs } from "../kit/Toasts";
import { text } from "../text/text";
import { preview } from "./preview";
import { choose } from "./state/conversations";
import { openAt } from "./state/history";
import { keyOf } from "./state/key";
import { lookUp, nameOf, need } from "./state/people";
import { type Urgent as Entry, urgent, urgentCount } from "./state/urgent";

/** What is read out of an urgent message, once, and in which dialog: what lies behind one is not read out. */
const said = signal<{ id: string; words: string; dialog: string | undefined } | undefined>(undefined);
const told = new Set<string>();

effect(() => {
  const [first] = urgent.value;
  if (!first?.message || told.has(first.message.message_id)) return;
  told.add(first.message.message_id);
  untracked(() => void say(first));
});

/** say waits for the name of a sender whom the page does not know yet. */
async function say({ conversation: { entity }, message }: Entry): Promise<void> {
  if (!message || session.value?.account.dnd) return;
  if (nameOf(message.sender_token) === undefined) await lookUp(message.sender_token, message.sender_organization);
  const name = nameOf(message.sender_token) ?? text("somebody");
  const words = "num_members" in entity ? text("urgentIn", { name, group: entity.display_name }) : text("urgentFrom", { name });
  said.value = { id: message.message_id, words: `${words} ${preview(message)}`, dialog: dialogs.peek().at(-1) };
}

/** Urgent is a note of the newest urgent message that is not on the screen, until it is read, recalled or over. */
export function Urgent({ dialog }: { dialog?: string | undefined }) {
  const [first] = urgent.value;
  const news = said.value;
  const heard = news?.dialog === dialog && urgent.value.some(({ message }) => message?.message_id === news?.id);
  // Behind dialogs the page keeps it too, so that nothing moves there.
  const here = dialog === undefined || dialogs.value.at(-1) === dialog;
  return (
    <>
      {heard && (
        <p key={news?.id} class="unseen" role="alert" dir="auto">
          {news?.words}
        </p>
      )}
      {here && first && <Note key={keyOf(first.conversation.organization_id, first.conversation.entity.token)} of={first} />}
    </>
  );
}

function Note({ of }: { of: Entry }) {
  const { conversation: { entity }, message } = of;
  const [sure, setSure] = useState(false);
  const group = "num_members" in entity;
  const count = urgentCount.value;
  useEffect(() => {
    if (message) need(message.sender_token, message.sender_organization);
  }, [message]);
  const name = group ? (message && (nameOf(message.sender_token) ?? text("somebody"))) : entity.display_name;
  const open = () => {
    if (!sure && wouldLose()) return setSure(true);
    show(of);
  };
  return (
    <div class="note">
      <button type="button" onClick={open}>
        <Icon name="priority" />
        <span>
          <strong>
            <span class="unseen">{text("urgentNote")} </span>
            {name && <bdi>{name}</bdi>}
            {group && (
              <>
                {name && " · "}
                <bdi>{entity.display_name}</bdi>
              </>
            )}
          </strong>{" "}
          <span dir="auto">{message ? preview(message) : text("newUrgent")}</span>
        </span>
        {count > 1 && (
          <span class="badge" role="img" aria-label={text("urgentCount", { n: count })}>
            {count}
          </span>
        )}
      </button>
      {sure && <p role="status">{text("urgentLoses")}</p>}
    </div>
  );
}

/** show opens a conversation at its urgent message. */
function show({ conversation, message }: Entry): void {
  leaveDialogs();
  if (message) openAt(conversation, message.sort_number);
  else choose(conversation);
}
