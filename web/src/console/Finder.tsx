import { useEffect, useId, useState } from "preact/hooks";
import { useProblem } from "../kit/Form";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";
import type { Named } from "./state/named";

const pause = 250; // milliseconds after which somebody has typed what is looked for

interface Props {
  label: string;
  /** What forms call it. */
  name?: string;
  hint?: string | undefined;
  /** What the list of what was found is called. */
  list: string;
  /** Looks for what begins so. Without it, Enter takes what was typed. */
  find: ((words: string, signal: AbortSignal) => Promise<readonly Named[]>) | undefined;
  /** What `find` depends on. */
  on: string | undefined;
  /** What Enter takes where nothing was found; undefined: the words name nobody. */
  take?: (words: string) => Promise<Named> | undefined;
  /** What is not offered: it is chosen already. */
  without?: ReadonlySet<string>;
  /** It says that nothing was found. */
  telling?: boolean;
  onChoose: (one: Named) => void;
}

const nothing: ReadonlySet<string> = new Set();

/** Finder is a field that finds people, or groups: arrows go through what is found, Enter takes it. */
export function Finder(props: Props) {
  const { label, name, list, find, take, without = nothing, onChoose } = props;
  const id = useId();
  const [words, setWords] = useState("");
  const [all, setAll] = useState<readonly Named[] | undefined>();
  const [at, setAt] = useState(0);
  const [refusal, refuse] = useRefusal();
  const amiss = useProblem(...(name === undefined ? [] : [name]));
  const problem = refusal || amiss;
  const asked = words.trim();
  const found = all?.filter(({ token }) => !without.has(token)) ?? [];
  useEffect(() => {
    refuse(undefined);
    if (!find || asked === "") {
      setAll(undefined);
      return undefined;
    }
    const late = new AbortController();
    const typed = setTimeout(() => {
      find(asked, late.signal).then(
        (results) => {
          if (late.signal.aborted) return;
          setAll(results);
          setAt(0);
        },
        (error: unknown) => late.signal.aborted || refuse(error),
      );
    }, pause);
    return () => {
      clearTimeout(typed);
      late.abort();
    };
  }, [props.on, asked]);
  const choose = (one: Named) => {
    setWords("");
    setAll(undefined);
    onChoose(one);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at];
    if (event.key === "Enter" && chosen) choose(chosen);
    else if (event.key === "Enter" && asked !== "") void take?.(asked)?.then(choose, refuse);
    else if (event.key === "ArrowDown" && found.length > 0) setAt((at + 1) % found.length);
    else if (event.key === "ArrowUp" && found.length > 0) setAt((at + found.length - 1) % found.length);
    else if (event.key === "Escape" && words !== "") setWords("");
    else return;
    event.preventDefault();
  };
  const hint = problem || props.hint;
  return (
    <>
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="text"
        inputMode="search"
        role="combobox"
        autocomplete="off"
        aria-autocomplete={find ? "list" : "none"}
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setAll(undefined)}
      />
      {found.length > 0 && (
        <ul role="listbox" id={`${id}-list`} aria-label={list}>
          {found.map((one, i) => (
            <li
              key={one.token}
              role="option"
              id={`${id}-${i}`}
              aria-selected={i === at}
              onPointerDown={(event) => event.preventDefault()} // which would take the focus away, and this list with it
              onClick={() => choose(one)}
            >
              <bdi>{one.name}</bdi>
              <small dir="auto">{one.more}</small>
            </li>
          ))}
        </ul>
      )}
      {props.telling && all && found.length === 0 && <small role="status">{text("nothingFound")}</small>}
      {hint && <small id={`${id}-hint`} class={problem ? "problem" : undefined} role={problem ? "alert" : undefined}>{hint}</small>}
    </>
  );
}
