import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation, Message as Content } from "../client/index";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { dialogs, toast } from "../kit/Toasts";
import { text } from "../text/text";
import { Anchor } from "./anchor";
import { Items, Loading } from "./Items";
import { enter, move, toMessage } from "./moves";
import { around, bounds, earlier, later, most, search, type Span, stretchAt, tail, ahead } from "./span";
import { isIn } from "./state/groups";
import * as history from "./state/history";
import { keyOf } from "./state/key";
import { isUnread, messages, older } from "./state/messages";
import { notes } from "./state/notes";
import { outbox } from "./state/outbox";
import { show } from "./state/parts";
import { needMembers } from "./state/people";
import { keepPlace, placeOf } from "./state/place";
import { markSeen } from "./state/seen";
import { leave, visited } from "./state/visit";
import { Unsent } from "./Unsent";

const near = 1200; // pixels from an edge at which they are

/** History shows the messages of a conversation, of which only those near the seen ones are in the document. */
export function History({ conversation }: { conversation: Conversation }) {
  const { entity, organization_id: organization, unread_count, unread_priority_count } = conversation;
  const key = keyOf(organization, entity.token);
  const waiting = outbox.value.filter((l) => l.recipient === entity.token && l.organization === organization);
  const box = useRef<HTMLDivElement>(null);
  const [anchor] = useState(() => new Anchor());
  const [span, setSpan] = useState<Span>({ from: 0, to: Infinity });
  const [line, setLine] = useState<{ before: number; n: number }>();
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  const [away, setAway] = useState(false); // from the end
  const [above, setAbove] = useState(0); // how many are unread from before what is seen
  const [sought, setSought] = useState<string>(); // the message that one goes to
  const [marked, setMarked] = useState<string>(); // the message that one went to, as long as it has the focus
  const left = useRef(false); // for another conversation: what one goes to is not shown here
  const { aim } = history;
  const stretch = stretchAt(key, span.to === Infinity ? Infinity : span.from);
  const { list, end } = stretch;
  const group = entity.type === "tigertext:entity:group";

  const begin = async () => {
    setState("loading");
    try {
      await history.open(conversation);
    } catch {
      if (!messages.value.has(key)) return setState("failed");
    }
    if (aim.peek()?.key !== key || !(await seek())) place();
    setState("shown");
  };
  /** place puts the box where one was, at the first unread message, or at its end. */
  const place = () => {
    const kept = placeOf(key);
    const at = stretchAt(key, messages.value.get(key)?.find(({ message_id }) => message_id === kept?.id)?.sort_number ?? Infinity);
    const was = at.list.findIndex(({ message_id }) => message_id === kept?.id);
    const unread = draw();
    if (kept && was >= 0) {
      anchor.stay(kept);
      setSpan(around(at, was));
    } else if (unread) {
      anchor.stay({ id: "new", top: 64 });
      setSpan(unread.span);
    } else {
      setSpan(tail(stretchAt(key, Infinity)));
    }
  };
  /** draw draws the line before the first unread message, and tells which that is. */
  const draw = () => {
    const newest = stretchAt(key, Infinity);
    const at = newest.list.findIndex(isUnread);
    const first = newest.list[at];
    if (!first) return undefined;
    setLine({ before: first.sort_number, n: newest.list.slice(at).filter(isUnread).length });
    return { id: first.message_id, span: around(newest, at) };
  };
  /** seek goes to the message that is aimed at, and reports whether it is there. */
  const seek = async (): Promise<boolean> => {
    const to = aim.peek();
    if (left.current || to?.key !== key) return false;
    const { sort, hit } = to;
    try {
      await history.around(conversation, sort);
    } catch (error) {
      if (left.current || aim.peek() !== to) return seek();
      aim.value = undefined;
      toast(describe(error), { danger: true });
      return false;
    }
    if (left.current || aim.peek() !== to) return seek(); // one wants to go elsewhere by now
    aim.value = undefined;
    const there = stretchAt(key, sort);
    const at = search(there.list, sort);
    // Of what was searched for and is gone, the place is shown: the next message, or else the last.
    const message = there.list[at] ?? (hit && there.list.at(-1));
    const exact = message?.sort_number === sort;
    if (hit) visited.value = { ...hit, key, state: !exact ? "gone" : message.is_recalled ? "recalled" : "there" };
    else if (!exact) toast(text("originalGone"), { danger: true });
    if (!message || !(exact || hit)) return false;
    anchor.stay({ id: message.message_id, top: Math.round((box.current?.clientHeight ?? 0) / 4) });
    setSpan(around(there, at));
    setSought(message.message_id);
    setMarked(message.message_id);
    return true;
  };
  useEffect(() => {
    void begin();
    if (group && isIn(conversation)) needMembers(entity.token, organization);
    return () => {
      left.current = true;
      leave(key);
      keepPlace(key, anchor.spot);
    };
  }, []);
  const come = state === "failed" && messages.value.has(key); // it was asked for again, since there is a connection
  useEffect(() => {
    if (come) void begin();
  }, [come]);
  const aimed = aim.value?.key === key && state === "shown";
  useEffect(() => {
    if (aimed) void seek();
  }, [aimed]);

  useLayoutEffect(() => show("history", {
    focus: (id) => {
      if (id === undefined) toMessage(box.current);
      else box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus();
    },
    toNewest,
    toUnread,
  }));

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
    setAbove(unreadAbove(el, stretchAt(key, Infinity).list.filter(isUnread), list[a]?.sort_number ?? 0));
    if (isWatched() && list.some(isUnread)) markSeen(conversation, onScreen(el));
    if (anchor.atEnd && b - a > most) setSpan(tail(stretch));
    else extend(el.scrollTop < near, gap < near);
  };
  const settle = () => {
    const scrolled = box.current && state === "shown" && anchor.look(box.current, whole);
    if (!scrolled) restore();
    look();
  };
  const extend = (up: boolean, down: boolean) => {
    const now = stretchAt(key, span.to === Infinity ? Infinity : span.from);
    const [a, b] = bounds(now.list, span);
    const early = now.end !== Infinity;
    if (a < ahead) history.back(entity.token, organization, early).catch(() => undefined); // asked again on scrolling
    if (early && b > now.list.length - ahead) history.forth(entity.token, organization).catch(() => undefined);
    if (up && a > 0) setSpan(earlier(now, span, [a, b]));
    else if (down && (b < now.list.length || (!early && !whole))) setSpan(later(now, [a, b]));
  };
  const [a, b] = bounds(list, span);
  const newest = messages.value.get(key)?.at(-1)?.sort_number;
  // What somebody has scrolled to, of which the browser has not told yet, is not taken back by what is drawn now.
  if (box.current && state === "shown") anchor.look(box.current, whole);
  useLayoutEffect(restore);
  useEffect(look, [state, span, list, waiting.length, dialogs.value.length]);
  // What comes while one is elsewhere is announced by the line too.
  useEffect(() => {
    if (state !== "shown" || (isWatched() && (line || anchor.atEnd))) return;
    draw();
  }, [newest]);
  useEffect(() => {
    if (state === "shown" && whole && anchor.atEnd) history.trim(key);
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
    return () => observer.disconnect();
  }, [state, span]);
  useEffect(() => {
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  });
  const toEnd = () => {
    leave(key);
    anchor.stay(undefined);
    setLine(undefined);
    setSpan(tail(stretchAt(key, Infinity)));
    restore();
  };
  /** takeFocus moves the focus once what was asked for is shown, unless one is writing. */
  const takeFocus = (to: () => void) => {
    const { activeElement: has } = document;
    if (!has || has === document.body || has.closest(".history")) requestAnimationFrame(to);
  };
  const toNewest = () => {
    toEnd();
    takeFocus(() => toMessage(box.current, true));
  };
  const toUnread = () => {
    const first = draw();
    if (!first) return;
    anchor.stay({ id: "new", top: 64 });
    setSpan(first.span);
    setSought(first.id);
  };
  // What one went to has the focus as soon as it is there.
  useLayoutEffect(() => {
    const item = sought && box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(sought)}"]`);
    if (!item || state !== "shown") return;
    item.focus({ preventScroll: true });
    setSought(undefined);
  });
  const unmark = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement && target.dataset["id"] === marked) setMarked(undefined);
  };
  const begun = older.value.get(key) !== true && stretch.start === 0; // all that was said before is loaded
  const told = (notes.value.get(key) ?? []).filter(({ sort_number: n }) => n >= stretch.start && n < end);
  if (state === "failed") {
    return (
      <div class="scroll empty">
        <p role="alert">{text("noConnection")}</p>
        <button type="button" onClick={() => void begin()}>
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
        <ol class={group ? "messages group" : "messages"} onKeyDown={move} onFocusOut={unmark}>
          {state === "loading" && <Loading />}
          {state === "loading" && waiting.map((letter) => <Unsent key={letter.id} letter={letter} conversation={conversation} />)}
          {state === "shown" && !begun && <li class="older">{text("loading")}</li>}
          {state === "shown" && begun && a === 0 && list.length + told.length + waiting.length === 0 && (
            <li class="older">{text("noMessages")}</li>
          )}
          {state === "shown" && (
            <Items
              conversation={conversation} list={list} part={[a, b]} notes={told}
              waiting={whole ? waiting : []} line={line} marked={marked}
            />
          )}
        </ol>
      </div>
      {above > 0 && <Jump to="unread" n={above} onClick={toUnread} />}
      {away && <Jump to="newest" n={unread_count} urgent={unread_priority_count > 0} onClick={toNewest} />}
    </div>
  );
}

/** Jump leads to the newest message, or to the first unread one, and says how many are unread there. */
function Jump({ to, n, urgent = false, onClick }: { to: "newest" | "unread"; n: number; urgent?: boolean; onClick: () => void }) {
  const name = text(to === "newest" ? "toNewest" : "toUnread");
  return (
    <button type="button" class={to === "newest" ? "jump to-end" : "jump to-unread"} aria-label={name} title={name} onClick={onClick}>
      <Icon name={to === "newest" ? "down" : "up"} />
      {n > 0 && (
        <span class={urgent ? "badge pressing" : "badge"} role="img" aria-label={text(urgent ? "unreadUrgent" : "unread", { n })}>
          {n}
        </span>
      )}
    </button>
  );
}

/** isWatched tells whether somebody may see the page: nothing lies over it. */
function isWatched(): boolean {
  return document.visibilityState === "visible" && dialogs.value.length === 0;
}

/** unreadAbove counts the unread messages before what is seen; from: the first in the document. */
function unreadAbove(box: Element, unread: readonly Content[], from: number): number {
  if (unread.length === 0) return 0;
  const { top } = box.getBoundingClientRect();
  const ids = new Set(unread.map(({ message_id }) => message_id));
  const passed = [...box.querySelectorAll<HTMLElement>(".message[data-sort]")].filter(
    (node) => ids.has(node.dataset["id"] ?? "") && node.getBoundingClientRect().bottom <= top + 8,
  );
  return unread.filter(({ sort_number }) => sort_number < from).length + passed.length;
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
