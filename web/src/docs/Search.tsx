import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { Field } from "../kit/Field";
import { Link } from "../kit/Link";
import { text, type Text } from "../text/text";
import { Method } from "./Contents";
import { operations } from "./document";
import { loadSections } from "./guides";
import { entriesOf, type Hit, type Kind, kinds, marked, search, wordsOf } from "./find";
import type { Section } from "./tree";

const names: Readonly<Record<Kind, Text>> = { calls: "docs.calls", fields: "docs.foundFields", guides: "docs.guides" };

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** Search finds calls, fields and guides while one types. The arrow keys lead through what was found, Enter opens it. */
export function Search({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [sections, setSections] = useState<readonly Section[]>([]);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    loadSections().then(setSections, () => undefined); // without them calls are found
  }, []);
  const entries = useMemo(() => entriesOf(operations.value, sections), [operations.value, sections]);
  const hits = search(typed, entries);
  const words = wordsOf(typed);
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = steps[event.key];
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    if (event.key === "Enter" && event.target instanceof HTMLInputElement) return links[0]?.click();
    if (step === undefined || links.length === 0) return;
    event.preventDefault();
    const at = links.indexOf(document.activeElement as HTMLAnchorElement);
    if (at + step < 0) event.currentTarget.querySelector("input")?.focus();
    else links[Math.min(at + step, links.length - 1)]?.focus();
  };
  return (
    <Dialog title={text("docs.search")} size="wide" onClose={onClose}>
      <div class="search" onKeyDown={move}>
        <Field
          label={text("docs.searchFor")}
          type="search"
          autocomplete="off"
          verbatim
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <p role="status" class="muted">
          {typed.trim() !== "" && (hits.length === 0 ? text("docs.nothing") : text("docs.found", { n: hits.length }))}
        </p>
        <div ref={list} class="found">
          {kinds.map((kind) => {
            const mine = hits.filter((hit) => hit.kind === kind);
            return mine.length > 0 && (
              <section key={kind} aria-label={text(names[kind])}>
                <h3>{text(names[kind])}</h3>
                <ul lang="en">
                  {mine.map((hit) => (
                    <li key={hit.to} onClick={onClose}>
                      <Found hit={hit} words={words} />
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      </div>
    </Dialog>
  );
}

function Found({ hit: { to, title, said, method }, words }: { hit: Hit; words: readonly string[] }) {
  return (
    <Link to={to}>
      {method && <Method of={method} />}
      <strong>
        <Marked words={words}>{title}</Marked>
      </strong>
      {said && (
        <small>
          <Marked words={words}>{said}</Marked>
        </small>
      )}
    </Link>
  );
}

/** Marked shows what was looked for in a text. */
function Marked({ words, children }: { words: readonly string[]; children: string }) {
  return <>{marked(children, words).map((part, i) => (i % 2 ? <mark key={i}>{part}</mark> : part))}</>;
}
