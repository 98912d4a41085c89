import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { Conversation, Message } from "../client/index";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { preview } from "./preview";
import { openAt } from "./state/history";
import { keyOf } from "./state/key";
import { needOriginal, originalOf, round } from "./state/originals";
import { nameOf, need } from "./state/people";

type Place = Pick<Conversation, "entity" | "organization_id">;

/** useOriginal finds the message that another one answers: null where it is gone, undefined while that is not known. */
function useOriginal(id: string, token: string, organization: string): Message | null | undefined {
  const key = keyOf(organization, token);
  const found = useMemo(() => computed(() => originalOf(key, id)), [key, id]).value;
  useEffect(() => {
    if (found !== null) needOriginal(id);
    if (found) need(found.sender_token, organization);
  }, [found, id, round.value]);
  return found;
}

/** Original stands above a message that answers another one: who said what. It leads there. */
export function Original({ id, conversation }: { id: string; conversation: Conversation }) {
  const found = useOriginal(id, conversation.entity.token, conversation.organization_id);
  if (!found) return <p class="original"><em>{text(found === null ? "originalGone" : "loading")}</em></p>;
  return (
    <button
      type="button"
      class="original"
      title={text("toOriginal")}
      onClick={() => openAt(conversation, found.sort_number)}
    >
      <Line message={found} />
    </button>
  );
}

/** Line says in two lines who said what. */
function Line({ message }: { message: Message }) {
  return (
    <span>
      <bdi class="by">{nameOf(message.sender_token) ?? text("somebody")}</bdi>
      <span class="beginning" dir="auto">
        {message.attachments?.length && !message.dor ? <Icon name="file" /> : null}
        {preview(message)}
      </span>
    </span>
  );
}

/** Answering stands above the field, and says which message is being answered, until that is taken away. */
export function Answering({ id, at, onRemove }: { id: string; at: Place; onRemove: () => void }) {
  const found = useOriginal(id, at.entity.token, at.organization_id);
  return (
    <div class="answering" role="group" aria-label={text("answering")}>
      <Icon name="reply" />
      {found ? <Line message={found} /> : <em>{text(found === null ? "originalGone" : "loading")}</em>}
      <button type="button" class="icon" aria-label={text("notAnswering")} title={text("notAnswering")} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
