import { useEffect, useState } from "preact/hooks";
import type { Conversation, Message as Content } from "../client/index";
import { session } from "../kit/state/session";
import { day } from "../text/format";
import { text } from "../text/text";
import { Message } from "./Message";
import { Notes } from "./Notes";
import type { Note } from "./state/notes";
import type { Letter } from "./state/outbox";
import { Unsent } from "./Unsent";

const patience = 3000; // milliseconds after which loading takes long

/** Loading says that messages are being loaded; after a while, that this takes long. */
export function Loading() {
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

interface Props {
  readonly conversation: Conversation;
  /** The messages of which a part is shown, and which part. */
  readonly list: readonly Content[];
  readonly part: readonly [number, number];
  /** Among them, from the oldest. */
  readonly notes: readonly Note[];
  readonly waiting: readonly Letter[];
  /** Before the first one that is new. */
  readonly line: { readonly before: number; readonly n: number } | undefined;
  /** The id of the message that one went to. */
  readonly marked: string | undefined;
}

/** Items are the messages of a part of a list, with the notes, the days and the line between them. */
export function Items({ conversation, list, part: [a, b], notes, waiting, line, marked }: Props) {
  const me = session.value?.account.token;
  const made = [];
  const first = list[a - 1];
  let today = first && day(first.created_time);
  let next = notes.findIndex(({ sort_number }) => sort_number > (first?.sort_number ?? 0));
  if (next < 0) next = notes.length;
  /** begin says on which day what follows was written, if that is another one. */
  const begin = ({ created_time, sort_number }: { created_time: string; sort_number: number }) => {
    const date = day(created_time);
    if (date === today) return;
    today = date;
    made.push(
      <li class="day" key={`day ${sort_number}`}>
        <span>{date}</span>
      </li>,
    );
  };
  /** tell shows the notes before a place. */
  const tell = (before: number) => {
    for (let from = next; next < notes.length && (notes[next]?.sort_number ?? 0) < before; from = next) {
      const one = notes[from];
      if (!one) break;
      const date = day(one.created_time);
      const ends = notes.findIndex((note, i) => i >= from && (note.sort_number >= before || day(note.created_time) !== date));
      next = ends < 0 ? notes.length : ends;
      begin(one);
      made.push(<Notes key={`notes ${one.sort_number}`} of={notes.slice(from, next)} />);
    }
  };
  const apart = (one: Content | undefined, other: Content | undefined) =>
    !together(one, other) || other?.sort_number === line?.before ||
    notes.some(({ sort_number: n }) => n > (one?.sort_number ?? 0) && n < (other?.sort_number ?? Infinity));
  for (let i = a; i < b; i++) {
    const message = list[i];
    if (!message) continue;
    tell(message.sort_number);
    begin(message);
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
        conversation={conversation}
        own={message.sender_token === me}
        marked={message.message_id === marked}
        first={apart(list[i - 1], message)}
        last={apart(message, list[i + 1])}
      />,
    );
  }
  if (b === list.length) {
    tell(Infinity);
    for (const letter of waiting) made.push(<Unsent key={letter.id} letter={letter} conversation={conversation} />);
  }
  return <>{made}</>;
}

const pause = 5 * 60_000; // milliseconds after which a message stands by itself

/** together tells whether two messages are of one person, and of one moment. */
function together(a: Content | undefined, b: Content | undefined): boolean {
  return (
    a !== undefined && b !== undefined && a.sender_token === b.sender_token &&
    Date.parse(b.created_time) - Date.parse(a.created_time) < pause && day(a.created_time) === day(b.created_time)
  );
}
