import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation, Message } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { when } from "../text/format";
import { text } from "../text/text";
import { Welcome } from "./later";
import { preview } from "./preview";
import { choose, isOpen, loading, more, newestFirst } from "./state/conversations";
import { drafts } from "./state/drafts";
import { isIn } from "./state/groups";
import { levelOf } from "./state/hearing";
import { keyOf } from "./state/key";
import { rulesOf } from "./state/organizations";
import { keyOfLetter, outbox } from "./state/outbox";
import { need, shortNameOf } from "./state/people";
import { here, writing } from "./state/presence";
import { Status } from "./Status";

const height = 64; // pixels of a row, as in the style
const beyond = 8; // rows that are made above and below what is seen

/** ConversationList shows the conversations, of which only those near the seen ones are in the document. */
export function ConversationList({ onGroup }: { onGroup: () => void }) {
  const list = newestFirst.value;
  const box = useRef<HTMLUListElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const look = () => {
    if (!box.current) return;
    const { scrollTop, clientHeight, scrollHeight } = box.current;
    setSeen({ top: scrollTop, height: clientHeight });
    if (scrollHeight - scrollTop - clientHeight < 20 * height) more().catch(() => undefined); // asked again on scrolling
  };
  useLayoutEffect(() => {
    look();
    const observer = new ResizeObserver(look);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, [list.length === 0]); // there is a box once there is something to list
  if (list.length === 0) {
    return loading.value ? <Loading /> : <Welcome onGroup={onGroup} />;
  }
  const first = Math.max(0, Math.floor(seen.top / height) - beyond);
  const end = Math.min(list.length, Math.ceil((seen.top + seen.height) / height) + beyond);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" } as const;
    const way = by[event.key as keyof typeof by];
    const row = event.target instanceof Element && event.target.closest("li")?.[way];
    if (!row || event.altKey) return;
    event.preventDefault();
    row.querySelector("button")?.focus();
  };
  return (
    <ul class="conversations" ref={box} onScroll={look} onKeyDown={move}>
      <li aria-hidden="true" style={{ height: `${first * height}px` }} />
      {list.slice(first, end).map((conversation, i) => (
        <Row
          key={keyOf(conversation.organization_id, conversation.entity.token)}
          conversation={conversation}
          place={first + i + 1}
          of={list.length}
        />
      ))}
      <li aria-hidden="true" style={{ height: `${(list.length - end) * height}px` }} />
    </ul>
  );
}

function Row({ conversation, place, of }: { conversation: Conversation; place: number; of: number }) {
  const { entity, organization_id, last_message, unread_count, unread_priority_count, muted } = conversation;
  const key = keyOf(organization_id, entity.token);
  const written = drafts.value.get(key);
  const draft = written?.body.trim();
  const chosen = isOpen(key);
  const letters = outbox.value.filter((one) => keyOfLetter(one) === key);
  const refused = letters.findLast((one) => one.refused !== undefined);
  const letter = refused ?? letters.at(-1);
  // What is deleted on read is not shown in passing, neither before it is sent.
  const burns = (of: { dor?: boolean | undefined } | undefined) => of?.dor ?? rulesOf(organization_id).dor;
  const last = letter?.time ?? last_message?.created_time;
  const own = last_message?.sender_token === session.value?.account.token;
  return (
    <li aria-posinset={place} aria-setsize={of}>
      <button
        type="button"
        class={unread_count > 0 ? "unread" : undefined}
        aria-current={chosen ? "true" : undefined}
        onClick={() => choose(conversation)}
      >
        <span class="portrait">
          <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
          {here.value.get(entity.token) && <span class="here" role="img" aria-label={text("available")} />}
        </span>
        <span class="name">
          <bdi>{entity.display_name}</bdi>
          {!isIn(conversation) && (
            <span class="mute" role="img" aria-label={text("leftGroup")} title={text("leftGroup")}>
              <Icon name="leave" />
            </span>
          )}
          {muted && (
            <span class="mute" role="img" aria-label={text(levelOf(conversation) === "none" ? "silenced" : "muted")}>
              <Icon name="bellOff" />
            </span>
          )}
        </span>
        {last && (
          <time class="when" dateTime={last}>
            {when(last)}
          </time>
        )}
        <span class="last" dir="auto">
          {writing.value.get(key)?.size ? (
            <span class="writing">{text("writing")}</span>
          ) : refused ? (
            <>
              <span class="draft">{text(refused.refused === "unsure" ? "unconfirmed" : "unsent")}</span> {burns(refused) ? text("sealed") : refused.body || refused.file?.name}
            </>
          ) : draft && !chosen ? (
            <>
              <span class="draft">{text("draft")}</span> {burns(written) ? text("sealed") : draft}
            </>
          ) : letter ? (
            <>
              <bdi class="by">{text("youSaid")}</bdi> {burns(letter) ? text("sealed") : letter.body || letter.file?.name}
            </>
          ) : (
            last_message && <Last message={last_message} group={entity.type === "tigertext:entity:group"} />
          )}
        </span>
        <span class="marks">
          {unread_priority_count > 0 && (
            <span class="urgent" role="img" aria-label={text("priority")}>
              !
            </span>
          )}
          {unread_count > 0 ? (
            <span class={muted ? "badge quiet" : "badge"} role="img" aria-label={text("unread", { n: unread_count })}>
              {unread_count > 999 ? "999+" : unread_count}
            </span>
          ) : letter ? (
            !refused && <Status of="sending" />
          ) : (
            own && last_message && !last_message.is_recalled && <Status of={last_message.status} />
          )}
        </span>
      </button>
    </li>
  );
}

/** Last is the last line: what was written, and in a group by whom. */
function Last({ message, group }: { message: Message; group: boolean }) {
  const own = message.sender_token === session.value?.account.token;
  if (group && !own) need(message.sender_token, message.recipient_organization);
  const name = shortNameOf(message.sender_token);
  const by = own ? text("youSaid") : group && name ? `${name}:` : "";
  return (
    <>
      {by && <bdi class="by">{by}</bdi>} {preview(message)}
    </>
  );
}

function Loading() {
  return (
    <ul class="conversations" aria-busy="true" aria-label={text("loading")}>
      {Array.from({ length: 6 }, (_, i) => (
        <li key={i} class="ghost" aria-hidden="true">
          <span class="avatar" />
          <span />
          <span />
        </li>
      ))}
    </ul>
  );
}
