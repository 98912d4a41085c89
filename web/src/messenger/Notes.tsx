import { clock, moment } from "../text/format";
import { pieces, said, together } from "./noted";
import type { Note } from "./state/notes";

/** Notes are lines among the messages, which tell what changed of the group. */
export function Notes({ of }: { of: readonly Note[] }) {
  return (
    <>
      {together(of).map((note) => (
        <li class="noted" key={note.sort_number}>
          <p role="note" dir="auto">
            {pieces(said(note)).map(({ name, words }, i) => (name ? <bdi key={i}>{words}</bdi> : words))}
            {" · "}
            <time dateTime={note.created_time} title={moment(note.created_time)}>
              {clock(note.created_time)}
            </time>
          </p>
        </li>
      ))}
    </>
  );
}
