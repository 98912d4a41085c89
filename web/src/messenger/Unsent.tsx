import type { Conversation } from "../client/index";
import { Icon } from "../kit/Icon";
import { clock, size } from "../text/format";
import { text } from "../text/text";
import { Original } from "./Original";
import { again, discard, type Letter, progress, saidOf, withoutReply } from "./state/outbox";
import { Status } from "./Status";
import { Words } from "./Words";

/** Unsent shows a message that is on its way, or that was refused. */
export function Unsent({ letter, conversation }: { letter: Letter; conversation: Conversation }) {
  const { id, body, file, reply, refused, priority, time } = letter;
  const sent = progress.value.get(id);
  return (
    <li class="message own first last waiting" data-id={id} tabIndex={-1}>
      <div class={priority ? "bubble urgent" : "bubble"}>
        {reply && <Original id={reply} conversation={conversation} />}
        {file && (
          <span class="file">
            <Icon name="file" />
            <span>
              <bdi>{file.name}</bdi>
              <small>{size(file.size)}</small>
              {refused === undefined && sent !== undefined && <progress value={sent} aria-label={text("sending")} />}
            </span>
            {refused === undefined && (
              <button type="button" class="icon" aria-label={text("cancelSending")} onClick={() => discard(id)}>
                <Icon name="close" />
              </button>
            )}
          </span>
        )}
        {body && <Words of={body} />}
        <span class="meta">
          <time dateTime={time}>{clock(time)}</time>
          {refused === undefined && <Status of="sending" />}
        </span>
      </div>
      {refused !== undefined && (
        <div class="refused">
          <span role="alert">{saidOf(refused)}</span>
          {refused !== "file" && (
            <button type="button" onClick={() => (refused === "reply" ? withoutReply(id) : again(id))}>
              {text(refused === "reply" ? "sendWithoutReply" : "sendAgain")}
            </button>
          )}
          <button type="button" onClick={() => discard(id)}>
            {text("discard")}
          </button>
        </div>
      )}
    </li>
  );
}
