// How one moves among the messages by the keyboard.
import { answer, mayAnswer } from "./answer";
import { inspect } from "./state/inspected";
import { get } from "./state/messages";
import { parts } from "./state/parts";

/** move goes from message to message by the keyboard, shows the details of one, and answers it. */
export function move(event: KeyboardEvent): void {
  const item = event.target instanceof Element ? event.target.closest<HTMLElement>(".message") : null;
  if (!item || (event.target as Element).closest("[role=menu], dialog")) return;
  const way = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" } as const;
  const to = way[event.key as keyof typeof way];
  if (to && !event.altKey) {
    let next = item[to];
    while (next && !next.matches(".message")) next = next[to];
    if (next instanceof HTMLElement) next.focus();
    else if (event.key === "ArrowDown") parts.composer?.focus();
    return event.preventDefault();
  }
  if (event.target !== item || event.altKey || event.ctrlKey || event.metaKey) return;
  const id = item.dataset["id"] ?? "";
  const message = get(id);
  if (event.key === "i") inspect(id);
  else if (event.key === "r" && message && mayAnswer(message)) answer(message);
  else return;
  event.preventDefault();
}

/** enter goes by the keyboard from the whole of the messages to the newest that is seen. */
export function enter(event: KeyboardEvent): void {
  const box = event.currentTarget;
  if (event.target !== box || !(box instanceof HTMLElement)) return;
  if (event.key !== "Enter" && (event.key !== "ArrowUp" || event.altKey)) return;
  toMessage(box);
  event.preventDefault();
}

/** toMessage gives the focus to the newest message of which something is seen; still, without a scroll to all of it. */
export function toMessage(box: Element | null, still = false): void {
  const { bottom = 0 } = box?.getBoundingClientRect() ?? {};
  const all = [...(box?.querySelectorAll<HTMLElement>(".message[data-id]") ?? [])];
  all.findLast((item) => item.getBoundingClientRect().top < bottom - 8)?.focus({ preventScroll: still });
}
