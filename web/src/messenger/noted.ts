// What notes of groups say in words.
import { day } from "../text/format";
import { language, text, type Text } from "../text/text";
import type { Note } from "./state/notes";

const most = 5; // people who are named at once
const pause = 5 * 60_000; // milliseconds within which notes of the same are one

/** Those in which the same person did the same to several are one where they follow each other. */
const joined: readonly string[] = ["added", "removed", "left"] satisfies Note["note"]["event"][];

/** together makes one of notes that tell the same of several people. */
export function together(some: readonly Note[]): Note[] {
  const made: Note[] = [];
  for (const next of some) {
    const last = made.at(-1);
    if (last && isSame(last, next)) made.splice(-1, 1, join(last, next));
    else made.push(next);
  }
  return made;
}

function isSame(a: Note, b: Note): boolean {
  const { event, caller_token: by } = a.note;
  if (!joined.includes(event) || event !== b.note.event) return false;
  if (event !== "left" && (by !== b.note.caller_token || isAlone(a) || isAlone(b))) return false;
  return Date.parse(b.created_time) - Date.parse(a.created_time) < pause && day(a.created_time) === day(b.created_time);
}

function join(a: Note, b: Note): Note {
  return {
    ...a,
    note: {
      ...a.note,
      subjects: [...a.note.subjects, ...b.note.subjects],
      num_subjects: a.note.num_subjects + b.note.num_subjects,
    },
  };
}

/** isAlone tells whether somebody did something to nobody else. */
function isAlone({ note: { subjects, num_subjects, caller_token } }: Note): boolean {
  return num_subjects === 1 && caller_token !== undefined && subjects[0]?.token === caller_token;
}

/** Around a name in a text: a name of another direction leaves the words around it where they are. */
const isolate = (name: string) => `\u2068${name}\u2069`;

/** pieces parts what a note says into names, which begin with the mark around names, and what stands between them. */
export function pieces(words: string): { name: boolean; words: string }[] {
  return words
    .split(/(\u2068[^\u2069]*\u2069)/u)
    .filter((part) => part !== "")
    .map((part) => ({ name: part.startsWith("\u2068"), words: part.replace(/[\u2068\u2069]/gu, "") }));
}

/** who names some people; those of whom there is no name, or no room, by their number. */
function who(subjects: Note["note"]["subjects"], n: number): string {
  const some = subjects.slice(0, n > most ? most - 1 : most).map(({ name }) => isolate(name));
  if (n > some.length) some.push(text(some.length > 0 ? "notedOthers" : "people", { n: n - some.length }));
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(some);
}

/** What a note says where somebody did it, and where nobody is named who did. */
const changes: Readonly<Record<Exclude<Note["note"]["event"], "created" | "added" | "removed" | "left">, readonly [Text, Text]>> = {
  renamed: ["notedRenamed", "notedIsCalled"],
  history_on: ["notedHistoryOn", "notedHistoryIsOn"],
  history_off: ["notedHistoryOff", "notedHistoryIsOff"],
  public: ["notedPublic", "notedIsPublic"],
  private: ["notedPrivate", "notedIsPrivate"],
};

/** said is what a note says, with marks around the names. */
export function said(note: Note): string {
  const { event, caller_name, caller_token, subjects, num_subjects: n, name: called = "" } = note.note;
  const by = caller_name === undefined ? "" : isolate(caller_name);
  const name = isolate(called);
  switch (event) {
    case "created": {
      const others = subjects.filter(({ token }) => token !== caller_token);
      const all = n - (others.length < subjects.length ? 1 : 0);
      if (!by) return text("notedIsCreated", { name });
      return all > 0 ? text("notedCreatedWith", { by, name, who: who(others, all) }) : text("notedCreated", { by, name });
    }
    case "added":
      if (isAlone(note)) return text("notedJoined", { by });
      return by ? text("notedAdded", { by, who: who(subjects, n) }) : text("notedIsAdded", { n, who: who(subjects, n) });
    case "removed":
      return by ? text("notedRemoved", { by, who: who(subjects, n) }) : text("notedIsRemoved", { n, who: who(subjects, n) });
    case "left":
      return text("notedLeft", { n, who: who(subjects, n) });
    default: {
      const [active, passive] = changes[event];
      return by ? text(active, { by, name }) : text(passive, { name });
    }
  }
}
