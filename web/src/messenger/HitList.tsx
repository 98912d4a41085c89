import { useEffect, useMemo } from "preact/hooks";
import { Avatar } from "../kit/Avatar";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { moment, when } from "../text/format";
import { text } from "../text/text";
import { Marked } from "./Marked";
import { excerpt } from "./state/fold";
import { nameOf, need } from "./state/people";
import { type Hit, openHit } from "./state/search";

/** HitList are the messages that were found, the newest first, each with the sentence around what was looked for. */
export function HitList({ list, words }: { list: readonly Hit[]; words: string }) {
  return (
    <ul class="found hits">
      {list.map((hit) => <Row key={hit.message.message_id} hit={hit} words={words} />)}
    </ul>
  );
}

function Row({ hit, words }: { hit: Hit; words: string }) {
  const { message, entity, organization } = hit;
  const own = message.sender_token === session.value?.account.token;
  const group = "num_members" in entity;
  useEffect(() => {
    if (!own) need(message.sender_token, organization);
  }, [message]);
  const sender = own ? text("you") : (nameOf(message.sender_token) ?? (group ? text("somebody") : entity.display_name));
  const where = group ? text("inNamed", { name: entity.display_name }) : own ? text("toNamed", { name: entity.display_name }) : "";
  const shown = useMemo(() => excerpt(message.body ?? "", words), [message, words]);
  const file = message.attachments?.[0]?.name;
  return (
    <li>
      <button type="button" class="row" onClick={() => openHit(hit)}>
        <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
        <span dir="auto">
          <span class="by">
            <bdi>{sender}</bdi>
            <time dateTime={message.created_time} title={moment(message.created_time)}>{when(message.created_time)}</time>
          </span>
          {where && <small>{where}</small>}
          {message.is_recalled && <em class="excerpt">{text("recalled")}</em>}
          {shown && (
            <span class="excerpt" dir="auto">
              <Marked text={shown} words={words} />
            </span>
          )}
          {file && (
            <span class="excerpt" dir="auto">
              <Icon name="attach" /> <Marked text={file} words={words} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}
