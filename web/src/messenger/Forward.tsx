import { useState } from "preact/hooks";
import type { Conversation, Message } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { describe } from "../kit/describe";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { text } from "../text/text";
import { newestFirst, note } from "./state/conversations";
import { keyOf } from "./state/key";
import { add } from "./state/messages";

const most = 50; // conversations that are listed

/** Forward sends a message on to a conversation that one chooses. */
export function Forward({ message, onClose }: { message: Message; onClose: () => void }) {
  const [filter, setFilter] = useState("");
  const [problem, setProblem] = useState("");
  const { busy, run } = useBusy();
  const words = filter.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = newestFirst.value
    .filter(({ entity, organization_id }) => {
      const name = entity.display_name.toLocaleLowerCase();
      return organization_id === message.recipient_organization && words.every((word) => name.includes(word));
    })
    .slice(0, most);
  const forward = async ({ entity, organization_id }: Conversation) => {
    try {
      const to = { recipient: entity.token, sender_organization: organization_id };
      const sent = await client.forwardMessage(message.message_id, to, { response_format: "message" });
      if (sent.message) {
        add(sent.message);
        note(sent.message);
      }
      toast(text("forwardedTo", { name: entity.display_name }));
      onClose();
    } catch (error) {
      setProblem(describe(error));
    }
  };
  return (
    <Dialog title={text("forwardTo")} onClose={onClose}>
      <Field type="search" label={text("filterConversations")} value={filter} onInput={(e) => setFilter(e.currentTarget.value)} />
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <ul class="targets">
        {found.map((conversation) => {
          const { entity, organization_id } = conversation;
          return (
            <li key={keyOf(organization_id, entity.token)}>
              <button type="button" aria-disabled={busy} onClick={() => void run(() => forward(conversation))}>
                <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
                <bdi>{entity.display_name}</bdi>
              </button>
            </li>
          );
        })}
      </ul>
      {found.length === 0 && <p class="empty">{text("noneFound")}</p>}
    </Dialog>
  );
}
