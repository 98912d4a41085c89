import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Icon } from "../kit/Icon";
import { client } from "../kit/state/session";
import { useRefusal } from "../kit/useRefusal";
import { text } from "../text/text";

const pause = 250; // milliseconds after which somebody has typed what is looked for
const most = 8; // people who are offered

/** Of an account: 36 signs, which nobody types. */
const token = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Props {
  /** Whose people are found by the beginnings of words; without one, accounts are by a whole address. */
  organization: string | undefined;
  /** The token of who is chosen; empty: nobody. */
  account: string;
  name: string;
  onChange: (account: string, name: string) => void;
}

/** PersonFilter holds whom a list is about, or finds them. */
export function PersonFilter({ organization, account, name, onChange }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const moved = useRef(false); // what was used is gone: the focus goes to what has taken its place
  const before = useRef(account);
  useLayoutEffect(() => {
    // Or who is chosen was chosen elsewhere, by what is gone with the list of before.
    const lost = account !== "" && account !== before.current && document.activeElement === document.body;
    if (moved.current || lost) root.current?.querySelector<HTMLElement>("input, button")?.focus();
    moved.current = false;
    before.current = account;
  }, [account]);
  const change = (to: string, named = "") => {
    moved.current = true;
    onChange(to, named);
  };
  return (
    <div class="field person-filter" ref={root}>
      {account === "" ? (
        <Finder organization={organization} onChoose={change} />
      ) : (
        <>
          <span class="label">{text("console.involved")}</span>
          <button type="button" class="chip" aria-label={text("console.removeFilter", { name })} onClick={() => change("")}>
            <Icon name="person" />
            <bdi>{name}</bdi>
            <Icon name="close" />
          </button>
        </>
      )}
    </div>
  );
}

/** Finder is the field that finds them: arrows go through what is found, Enter takes it. */
function Finder({ organization, onChoose }: { organization: string | undefined; onChoose: (account: string, name: string) => void }) {
  const id = useId();
  const [words, setWords] = useState("");
  const [found, setFound] = useState<readonly Schemas["Member"][]>([]);
  const [at, setAt] = useState(0);
  const [problem, refuse] = useRefusal();
  const asked = words.trim();
  useEffect(() => {
    refuse(undefined);
    if (!organization || asked === "") {
      setFound([]);
      return undefined;
    }
    const late = new AbortController();
    const typed = setTimeout(() => {
      client.listMembers(organization, { q: asked, page_size: most, signal: late.signal }).then(
        ({ results }) => {
          setFound(results);
          setAt(0);
        },
        (error: unknown) => late.signal.aborted || refuse(error),
      );
    }, pause);
    return () => {
      clearTimeout(typed);
      late.abort();
    };
  }, [organization, asked]);
  const whole = async () => {
    if (token.test(asked)) return onChoose(asked, asked);
    try {
      const user = await client.lookupUser(asked);
      onChoose(user.token, user.display_name);
    } catch (error) {
      refuse(error);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at];
    if (event.key === "Enter" && chosen) onChoose(chosen.token, chosen.display_name);
    else if (event.key === "Enter" && asked !== "" && (!organization || token.test(asked))) void whole();
    else if (event.key === "ArrowDown" && found.length > 0) setAt((at + 1) % found.length);
    else if (event.key === "ArrowUp" && found.length > 0) setAt((at + found.length - 1) % found.length);
    else if (event.key === "Escape" && words !== "") setWords("");
    else return;
    event.preventDefault();
  };
  const hint = problem || (organization ? "" : text("console.involvedHint"));
  return (
    <>
      <label for={id}>{text("console.involved")}</label>
      <input
        id={id}
        type="text"
        inputMode="search"
        role="combobox"
        autocomplete="off"
        aria-autocomplete={organization ? "list" : "none"}
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        aria-describedby={hint ? `${id}-hint` : undefined}
        aria-invalid={problem ? true : undefined}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={() => setFound([])}
      />
      {found.length > 0 && (
        <ul role="listbox" id={`${id}-list`} aria-label={text("console.people")}>
          {found.map((one, i) => (
            <li
              key={one.token}
              role="option"
              id={`${id}-${i}`}
              aria-selected={i === at}
              onPointerDown={(event) => event.preventDefault()} // which would take the focus away, and this list with it
              onClick={() => onChoose(one.token, one.display_name)}
            >
              <bdi>{one.display_name}</bdi>
              <small dir="auto">{[one.title, one.department].filter(Boolean).join(" · ") || one.username}</small>
            </li>
          ))}
        </ul>
      )}
      {hint && <small id={`${id}-hint`} class={problem ? "problem" : undefined} role={problem ? "alert" : undefined}>{hint}</small>}
    </>
  );
}
