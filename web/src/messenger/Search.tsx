import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Avatar } from "../kit/Avatar";
import { isComposing } from "../kit/composing";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { besides } from "./state/beside";
import { named } from "./state/organizations";
import { parts, show } from "./state/parts";
import { asked, type Found, found, look, open, words } from "./state/search";

/** Search is where one looks for people and groups: / and Ctrl-K lead to it. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isComposing(event) || document.querySelector("dialog[open]")) return; // a dialog keeps the focus
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      const slash = event.key === "/" && !typing;
      if (!slash && !(event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        aria-label={text("search")}
        placeholder={text("search")}
        value={words.value}
        onInput={(event) => look(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isComposing(event)) return;
          const first = found.value?.[0];
          if (event.key === "Escape") look("");
          else if (event.key === "Enter" && first) open(first);
          else if (event.key === "ArrowDown") parts.results?.focus();
          else return;
          event.preventDefault();
        }}
      />
    </label>
  );
}

/** Results are what is found for the words in the field. */
export function Results() {
  const { waits, error } = asked.value;
  const list = found.value ?? [];
  const shown = useRef<HTMLUListElement>(null);
  useEffect(() => show("results", { focus: () => shown.current?.querySelector("button")?.focus() }), []);
  return (
    <>
      {error !== undefined && <p class="empty problem" role="alert">{describe(error)}</p>}
      {(list.length > 0 || !waits && error === undefined) && <FoundList list={list} onChoose={open} shown={shown} />}
    </>
  );
}

/** FoundList are the people and groups that were found. */
export function FoundList(props: {
  list: readonly Found[];
  onChoose: (one: Found) => void;
  shown?: RefObject<HTMLUListElement | null>;
}) {
  const { list, onChoose } = props;
  const move = (event: KeyboardEvent) => {
    const way = event.key === "ArrowDown" ? "nextElementSibling" : event.key === "ArrowUp" ? "previousElementSibling" : undefined;
    const row = way && event.target instanceof Element && event.target.closest("li")?.[way];
    if (!row || event.altKey) return;
    event.preventDefault();
    row.querySelector("button")?.focus();
  };
  const beside = besides(list.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity])));
  if (list.length === 0) return <p class="empty" role="status">{text("nothingFound")}</p>;
  return (
    <ul class="found" ref={props.shown} onKeyDown={move}>
      {list.map((one) => {
        const { entity, organization } = one;
        const more = "num_members" in entity
          ? text("people", { n: entity.num_members })
          : beside(entity);
        const where = named(organization);
        return (
          <li key={organization + entity.token}>
            <button type="button" onClick={() => onChoose(one)}>
              <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
              <span dir="auto">
                <bdi>{entity.display_name}</bdi>
                <small>{more}</small>
                {where && <small>{where}</small>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
