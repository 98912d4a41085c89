import { useEffect } from "preact/hooks";
import { isComposing } from "../kit/composing";
import { go } from "../kit/state/route";
import { addressOf, choose, current, details, newestFirst } from "./state/conversations";
import { keyOf } from "./state/key";
import { parts } from "./state/parts";

/** step opens the conversation next to the open one in the list, or the next unread one. */
function step(by: 1 | -1, unread: boolean): void {
  const list = newestFirst.value;
  const open = current.value && keyOf(current.value.organization_id, current.value.entity.token);
  const at = list.findIndex(({ organization_id, entity }) => keyOf(organization_id, entity.token) === open);
  for (let i = at < 0 && by < 0 ? list.length - 1 : at + by; i >= 0 && i < list.length; i += by) {
    const one = list[i];
    if (one && (!unread || one.unread_count > 0)) return choose(one);
  }
}

/** close closes what was opened last: the details, else the conversation. */
function close(): void {
  const open = current.value;
  if (open && details.value) go(addressOf(open));
  else choose(undefined);
}

/** useKeys listens to the keys that count everywhere in the messenger. */
export function useKeys(help: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const target = event.target instanceof Element ? event.target : document.body;
      // What is open over the page has the keys, wherever the focus is.
      if (event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
      if (isComposing(event) || target.closest("[role=menu]")) return;
      const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
      const alone = !altKey && !ctrlKey && !metaKey;
      if (altKey && (key === "ArrowDown" || key === "ArrowUp")) step(key === "ArrowDown" ? 1 : -1, shiftKey);
      else if (altKey && key === "PageDown") parts.history?.toNewest();
      else if (altKey && key === "PageUp") parts.history?.toUnread();
      else if (alone && key === "Escape") close();
      else if (alone && key === "?" && !target.matches("input, textarea, select")) help();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
