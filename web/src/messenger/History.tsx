import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation, Message as Content } from "../client/index";
import { Icon } from "../kit/Icon";
import { session } from "../kit/state/session";
import { day } from "../text/format";
import { text } from "../text/text";
import { Anchor } from "./anchor";
import { Message } from "./Message";
import { mayWrite } from "./state/groups";
import { back, open } from "./state/history";
import { inspect } from "./state/inspected";
import { keyOf } from "./state/key";
import { isUnread, messages, older } from "./state/messages";
import { type Letter, outbox } from "./state/outbox";
import { parts, show } from "./state/parts";
import { needMembers } from "./state/people";
import { keepPlace, placeOf } from "./state/place";
import { markSeen } from "./state/seen";
import { Unsent } from "./Unsent";

const most = 120; // messages in the document
const step = 20; // messages that are added at a time where one scrolls
const ahead = 60; // messages around those that are seen: in the document at first, and loaded before one gets there
const patience = 3000; // milliseconds after which loading takes long
const near = 1200; // pixels from an edge at which they are

/** The part of the messages that is in the document, by their sort_number. */
interface Span {
  from: number;
  to: number; // Infinity: with the newest
}

/** History shows the messages of a conversation, of which only those near the seen ones are in the document. */
export function History({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization, unread_count } = conversation;
  const key = keyOf(organization, entity.token);
  const list = messages.value.get(key) ?? [];
  const waiting = outbox.value.filter((l) => l.recipient === entity.token && l.organization === organization);
  const box = useRef<HTMLDivElement>(null);
  const [anchor] = useState(() => new Anchor());
  const [span, setSpan] = useState<Span>({ from: 0, to: Infinity });
  const [line, setLine] = useState<{ before: number; n: number }>();
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  const [away, setAway] = useState(false); // from the end
  const group = entity.type === "tigertext:entity:group";

  const start = async () => {
    setState("loading");
    try {
      await open(conversation);
    } catch {
      if (!messages.value.has(key)) return setState("failed");
    }
    const loaded = messages.value.get(key) ?? [];
    const kept = placeOf(key);
    const unread = unread_count > 0 ? loaded.findIndex(isUnread) : -1;
    const first = loaded[unread];
    if (first) setLine({ before: first.sort_number, n: loaded.slice(unread).filter(isUnread).length });
    if (kept && loaded.some(({ message_id }) => message_id === kept.id)) {
      anchor.stay(kept);
      setSpan(around(loaded, loaded.findIndex(({ message_id }) => message_id === kept.id)));
    } else if (first) {
      anchor.stay({ id: "new", top: 64 });
      setSpan(around(loaded, unread));
    } else {
      setSpan(tail(loaded));
    }
    setState("shown");
  };
  useEffect(() => {
    void start();
    if (group && mayWrite(conversation)) needMembers(entity.token, organization);
    return () => keepPlace(key, anchor.spot);
  }, []);

  useLayoutEffect(() => show("history", {
    focus: (id) => {
      if (id === undefined) toMessage(box.current);
      else box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus();
    },
  }), []);

  const whole = span.to === Infinity;
  /** restore brings the box back to its anchor. */
  const restore = () => {
    if (box.current && state === "shown") anchor.restore(box.current, whole);
  };
  /** look marks what is seen as read, and has more made where an edge is near. */
  const look = () => {
    const el = box.current;
    if (!el || state !== "shown" || el.clientHeight === 0) return; // the details may be in its place
    const gap = el.scrollHeight - el.scrollTop - el.clientHeight;
    setAway(!whole || gap > el.clientHeight / 2);
    if (document.visibilityState === "visible" && list.some(isUnread)) markSeen(conversation, onScreen(el));
    if (anchor.atEnd && b - a > most) setSpan(tail(list));
    else extend(el.scrollTop < near, gap < near);
  };
  const settle = () => {
    const scrolled = box.current && state === "shown" && anchor.look(box.current, whole);
    if (!scrolled) restore();
    look();
  };
  const extend = (up: boolean, down: boolean) => {
    const now = messages.value.get(key) ?? [];
    const [a, b] = bounds(now, span);
    if (a < ahead) back(entity.token, organization).catch(() => undefined); // asked again on scrolling
    if (up && a > 0) {
      const from = now[Math.max(0, a - step)]?.sort_number ?? 0;
      const last = a - step + most;
      setSpan({ from, to: last < b ? (now[last]?.sort_number ?? Infinity) : span.to });
    } else if (down && b < now.length) {
      const to = b + step < now.length ? (now[b + step]?.sort_number ?? Infinity) : Infinity;
      setSpan({ from: now[Math.max(a, b + step - most)]?.sort_number ?? 0, to });
    }
  };
  const [a, b] = bounds(list, span);
  const newest = list.at(-1)?.sort_number;
  // What somebody has scrolled to, of which the browser has not told yet, is not taken back by what is drawn now.
  if (box.current && state === "shown") anchor.look(box.current, whole);
  useLayoutEffect(restore);
  useEffect(look, [state, span, list, waiting.length]);
  // What comes while one is elsewhere is announced by the line too.
  useEffect(() => {
    if (state !== "shown" || line || (document.visibilityState === "visible" && anchor.atEnd)) return;
    const unread = list.findIndex(isUnread);
    const first = list[unread];
    if (first) setLine({ before: first.sort_number, n: list.slice(unread).filter(isUnread).length });
  }, [newest]);
  // What one sends is seen.
  const mine = waiting.at(-1)?.id;
  useEffect(() => {
    if (mine && state === "shown") toEnd();
  }, [mine]);
  useEffect(() => {
    const observer = new ResizeObserver(settle);
    const el = box.current;
    if (el) observer.observe(el);
    if (el?.firstElementChild) observer.observe(el.firstElementChild);
    document.addEventListener("visibilitychange", look);
    return () => {
      observer.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, [state, span]);
  const toEnd = () => {
    anchor.stay(undefined);
    setLine(undefined);
    setSpan(tail(messages.value.get(key) ?? []));
    restore();
  };
  if (state === "failed") {
    return (
      <div class="scroll empty">
        <p role="alert">{text("noConnection")}</p>
        <button type="button" onClick={() => void start()}>
          {text("tryAgain")}
        </button>
      </div>
    );
  }
  return (
    <div class="history">
      <div
        class="scroll"
        ref={box}
        tabIndex={0}
        role="region"
        aria-label={text("messages")}
        aria-busy={state === "loading"}
        onScroll={settle}
        onKeyDown={enter}
      >
        <ol class={group ? "messages group" : "messages"} onKeyDown={move}>
          {state === "loading" && <Loading />}
          {state === "loading" && waiting.map((letter) => <Unsent key={letter.id} letter={letter} />)}
          {state === "shown" && older.value.get(key) && <li class="older">{text("loading")}</li>}
          {state === "shown" && !older.value.get(key) && a === 0 && list.length === 0 && waiting.length === 0 && (
            <li class="older">{text("noMessages")}</li>
          )}
          {state === "shown" && items(list, a, b, waiting, line, group)}
        </ol>
      </div>
      {away && (
        <button type="button" class="to-end" aria-label={text("toNewest")} title={text("toNewest")} onClick={toEnd}>
          <Icon name="down" />
          {unread_count > 0 && (
            <span class="badge" role="img" aria-label={text("unread", { n: unread_count })}>
              {unread_count}
            </span>
          )}
        </button>
      )}
    </div>
  );
}

/** onScreen are the messages of which something is seen, by their ids. */
function onScreen(box: Element): ReadonlySet<string> {
  const { top, bottom } = box.getBoundingClientRect();
  const seen = [...box.querySelectorAll<HTMLElement>(".message[data-sort]")].filter((node) => {
    const at = node.getBoundingClientRect();
    return at.bottom > top + 8 && at.top < bottom - 8;
  });
  return new Set(seen.map((node) => node.dataset["id"] ?? ""));
}

/** Loading says that messages are being loaded; after a while, that this takes long. */
function Loading() {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), patience);
    return () => clearTimeout(timer);
  }, []);
  return (
    <li class="older late">
      {text("loading")}
      {slow && <p role="status">{text("slowConnection")}</p>}
    </li>
  );
}

/** items are the messages of a part of the list, with the days and the line between them. */
function items(
  list: readonly Content[], a: number, b: number,
  waiting: readonly Letter[], line: { before: number; n: number } | undefined, group: boolean,
) {
  const made = [];
  const me = session.value?.account.token;
  for (let i = a; i < b; i++) {
    const message = list[i];
    if (!message) continue;
    const before = list[i - 1];
    const after = list[i + 1];
    const date = day(message.created_time);
    if (!before || day(before.created_time) !== date) {
      made.push(
        <li class="day" key={`day ${message.message_id}`}>
          <span>{date}</span>
        </li>,
      );
    }
    if (message.sort_number === line?.before) {
      made.push(
        <li class="new" key="new" data-id="new">
          <span>{text("newMessages", { n: line.n })}</span>
        </li>,
      );
    }
    made.push(
      <Message
        key={message.message_id}
        message={message}
        own={message.sender_token === me}
        group={group}
        first={!together(before, message) || message.sort_number === line?.before}
        last={!together(message, after) || after?.sort_number === line?.before}
      />,
    );
  }
  if (b === list.length) for (const letter of waiting) made.push(<Unsent key={letter.id} letter={letter} />);
  return made;
}

const pause = 5 * 60_000; // milliseconds after which a message stands by itself

/** together tells whether two messages are of one person, and of one moment. */
function together(a: Content | undefined, b: Content | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.sender_token === b.sender_token &&
    Date.parse(b.created_time) - Date.parse(a.created_time) < pause && day(a.created_time) === day(b.created_time)
  );
}

/** bounds returns where a span begins and ends in a list. */
function bounds(list: readonly Content[], { from, to }: Span): [number, number] {
  return [search(list, from), to === Infinity ? list.length : search(list, to)];
}

/** search returns the index of the first message with a sort_number of at least n. */
function search(list: readonly Content[], n: number): number {
  let low = 0;
  for (let high = list.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.sort_number ?? 0) < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tail(list: readonly Content[]): Span {
  return { from: list[Math.max(0, list.length - ahead)]?.sort_number ?? 0, to: Infinity };
}

function around(list: readonly Content[], at: number): Span {
  const to = at + ahead < list.length ? (list[at + ahead]?.sort_number ?? Infinity) : Infinity;
  return { from: list[Math.max(0, at - ahead / 2)]?.sort_number ?? 0, to };
}

/** move goes from message to message by the keyboard, and shows the details of one. */
function move(event: KeyboardEvent): void {
  const item = event.target instanceof Element ? event.target.closest<HTMLElement>(".message") : null;
  if (!item || (event.target as Element).closest("[role=menu]")) return;
  const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" } as const;
  const to = way[event.key as keyof typeof way];
  if (to && !event.altKey) {
    let next = item[to];
    while (next && !next.matches(".message")) next = next[to];
    if (next instanceof HTMLElement) next.focus();
    else if (event.key === "ArrowDown") parts.composer?.focus();
    event.preventDefault();
  } else if (event.key === "i" && event.target === item && !event.altKey && !event.ctrlKey && !event.metaKey) {
    inspect(item.dataset["id"] ?? "");
    event.preventDefault();
  }
}

/** enter goes by the keyboard from the whole of the messages to the newest that is seen. */
function enter(event: KeyboardEvent): void {
  const box = event.currentTarget;
  if (event.target !== box || !(box instanceof HTMLElement)) return;
  if (event.key !== "Enter" && (event.key !== "ArrowUp" || event.altKey)) return;
  toMessage(box);
  event.preventDefault();
}

/** toMessage gives the focus to the newest message of which something is seen. */
function toMessage(box: Element | null): void {
  const { bottom = 0 } = box?.getBoundingClientRect() ?? {};
  const all = [...(box?.querySelectorAll<HTMLElement>(".message[data-id]") ?? [])];
  all.findLast((item) => item.getBoundingClientRect().top < bottom - 8)?.focus();
}
