import { computed } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Conversation, Message as Content } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { toast } from "../kit/Toasts";
import { useBusy } from "../kit/useBusy";
import { now, time } from "../text/clock";
import { clock, left, moment } from "../text/format";
import { text } from "../text/text";
import { Acts } from "./Acts";
import { Attachment } from "./Attachment";
import { Original } from "./Original";
import { inspect } from "./state/inspected";
import { endOf, needEnd, noteRead } from "./state/lifetime";
import { nameOf, need, people } from "./state/people";
import { isSealed, unseal } from "./state/seen";
import * as statuses from "./state/statuses";
import { soughtIn } from "./state/visit";
import { Status } from "./Status";
import { Taken } from "./Taken";
import { Words } from "./Words";

interface Props {
  message: Content;
  conversation: Conversation;
  own: boolean;
  /** One went to it. */
  marked: boolean;
  /** Of those that the same person wrote one after the other. */
  first: boolean;
  last: boolean;
}

/** Message shows one message: one's own at the end of the line, with how far it got. */
export function Message({ message, conversation, own, marked, first, last }: Props) {
  const group = message.group_token !== undefined;
  const sealed = isSealed(message);
  const named = group && !own;
  const menu = useRef<() => void>(null);
  useEffect(() => {
    if (named) need(message.sender_token, message.sender_organization);
    if (message.original_sender) need(message.original_sender, message.sender_organization);
    needEnd(message);
  }, [message]);
  const name = nameOf(message.sender_token) ?? text("somebody");
  return (
    <li
      class={`message${own ? " own" : ""}${first ? " first" : ""}${last ? " last" : ""}${marked ? " marked" : ""}`}
      data-id={message.message_id}
      data-sort={message.sort_number}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.target !== event.currentTarget) return;
        menu.current?.();
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        release(); // a second finger is no long press
        const over = event.target instanceof Element && event.target.closest("dialog");
        if (event.pointerType === "touch" && event.isPrimary && !over) press(() => menu.current?.());
      }}
      onPointerUp={release}
      onPointerMove={release}
      onPointerCancel={release}
    >
      {named && (
        <span class="portrait">
          {last && <Avatar name={name} token={message.sender_token} picture={people.value.get(message.sender_token)?.avatar} />}
        </span>
      )}
      <div class={message.priority > 0 ? "bubble urgent" : "bubble"}>
        {named && first && (
          <span class="sender">
            <bdi>{name}</bdi>
          </span>
        )}
        {message.priority > 0 && !message.is_recalled && (
          <strong class="priority">
            <Icon name="priority" />
            {text("priority")}
          </strong>
        )}
        {message.is_forwarded && (
          <span class="forwarded">
            <Icon name="forward" />
            {text("forwardedFrom", { name: (message.original_sender && nameOf(message.original_sender)) ?? text("somebody") })}
          </span>
        )}
        {message.reply_to && !sealed && <Original id={message.reply_to} conversation={conversation} />}
        {message.is_recalled ? (
          <em>{text("recalled")}</em>
        ) : sealed ? (
          <Seal message={message} />
        ) : (
          <>
            <Attachment message={message} />
            {message.body && <Words of={message.body} sought={soughtIn(message.message_id)} />}
            {!message.body && !message.attachments?.length && <em>{text("data")}</em>}
          </>
        )}
        <span class="meta">
          {!message.is_recalled && <Left message={message} />}
          <time dateTime={message.created_time} title={moment(message.created_time)}>
            {clock(message.created_time)}
          </time>
          {own && !message.is_recalled && <Progress message={message} group={group} />}
        </span>
        {message.priority > 0 && !message.is_recalled && !sealed && <Taken message={message} own={own} />}
      </div>
      <Acts message={message} own={own} sealed={sealed} opener={menu} />
    </li>
  );
}

/** Seal stands for a message that is deleted on read, until it is opened. */
function Seal({ message }: { message: Content }) {
  const { busy, run } = useBusy();
  const show = async () => {
    try {
      await unseal(message);
      noteRead(message, time());
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  return (
    <div class="seal">
      <p>{text("sealedHint")}</p>
      <button type="button" aria-disabled={busy} onClick={() => void run(show)}>
        <Icon name="flame" />
        {text("show")}
      </button>
    </div>
  );
}

const soon = 86_400; // seconds: what lasts longer is not counted down

/** Left counts down how long a message is there. */
function Left({ message }: { message: Content }) {
  const end = endOf(message);
  // Made anew with another end, which would be seen with the next second only.
  const rest = useMemo(() => computed(() => {
    const seconds = ((end ?? Infinity) - now.value) / 1000;
    return seconds < soon ? left(seconds) : "";
  }), [end]).value;
  return (
    <>
      {message.dor && (
        <span class="burns" role="img" aria-label={text("deletedOnRead")} title={text("deletedOnRead")}>
          <Icon name="flame" />
        </span>
      )}
      {end !== undefined && rest && (
        <span class="left" title={text("goneAt", { time: moment(new Date(end)) })}>
          <Icon name="stuck" />
          {rest}
        </span>
      )}
    </>
  );
}

/** Progress shows how far an own message got; in a group how many have read it, and leads to who has. */
function Progress({ message, group }: { message: Content; group: boolean }) {
  useEffect(() => {
    if (group) statuses.need(message);
  }, [message.message_id, statuses.round.value]);
  const rows = group ? [...(statuses.statuses.value.get(message.message_id)?.values() ?? [])] : [];
  const read = rows.filter(({ status }) => status === "Read" || status === "Confirmed").length;
  const mark = <Status of={statuses.least(rows) ?? message.status} />;
  if (!group) return mark;
  return (
    <button type="button" class="read-by" title={text("whoHasRead")} tabIndex={-1} onClick={() => inspect(message.message_id)}>
      {read > 0 && <span>{text("readBy", { n: read, of: rows.length })}</span>}
      {mark}
    </button>
  );
}

const long = 500; // milliseconds
let pressing: ReturnType<typeof setTimeout> | undefined;

/** press opens the menu of a message that is held. */
function press(open: () => void): void {
  pressing = setTimeout(open, long);
}

function release(): void {
  clearTimeout(pressing);
}
