import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isComposing } from "../kit/composing";
import { Icon } from "../kit/Icon";
import { text } from "../text/text";
import { choose } from "./state/conversations";
import { parts, show } from "./state/parts";
import { browsing, close, groups, hits, look, longestWords, open, openHit, people, searching, words } from "./state/search";

/** Search is where one looks for people, groups and messages: / and Ctrl-K lead to it. */
export function Search() {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => show("search", {
    focus: () => input.current?.focus(),
    isShown: () => input.current?.offsetParent !== null,
    hasFocus: () => input.current === document.activeElement,
  }), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isComposing(event) || document.querySelector("dialog[open]")) return; // a dialog keeps the focus
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, select");
      const slash = event.key === "/" && !typing;
      if (!slash && !(event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey))) return;
      event.preventDefault();
      begin();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <div class="search">
      <label>
        <Icon name="search" />
        <input
          ref={input}
          type="search"
          aria-label={text("search")}
          placeholder={text("search")}
          value={words.value}
          maxLength={longestWords}
          onClick={() => (browsing.value = true)}
          onInput={(event) => look(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (isComposing(event)) return;
            if (event.key === "Escape") close();
            else if (event.key === "Enter") enter(event.currentTarget);
            else if (event.key === "ArrowDown") {
              browsing.value = true;
              if (parts.results) parts.results.focus();
              else requestAnimationFrame(() => parts.results?.focus()); // once they are shown
            } else return;
            event.preventDefault();
          }}
        />
      </label>
      {searching.value && (
        <button
          type="button" class="icon" aria-label={text("closeSearch")} title={text("closeSearch")}
          onClick={() => {
            close();
            input.current?.focus(); // the button is gone
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}

/** begin leads to the field, and shows whom there is to write to. */
export function begin(): void {
  browsing.value = true;
  if (parts.search?.isShown()) return parts.search.focus();
  choose(undefined); // there is room for one of both
  requestAnimationFrame(() => parts.search?.focus());
}

/** enter opens what was found first. A conversation then has the focus instead of the field. */
function enter(field: HTMLInputElement): void {
  const first = people.value.list[0] ?? groups.value.list[0];
  const hit = hits.value.list[0];
  if (first) {
    field.blur();
    open(first);
  } else if (hit) openHit(hit);
}
