import { text } from "../text/text";

/** Hint is a word of help on something, which a question mark opens. One is open at a time. */
export function Hint({ on, children }: { on: string; children: string }) {
  return (
    <details class="hint" name="hint" onKeyDown={close} onFocusOut={leave}>
      <summary aria-label={text("console.whatIs", { name: on })} title={text("console.whatIs", { name: on })}>?</summary>
      <p tabIndex={-1}>{children}</p>
    </details>
  );
}

function close(event: KeyboardEvent & { currentTarget: HTMLDetailsElement }): void {
  if (event.key !== "Escape" || !event.currentTarget.open) return;
  event.currentTarget.open = false;
  event.stopPropagation(); // Escape closes what is open, one thing at a time
}

function leave({ currentTarget, relatedTarget }: FocusEvent & { currentTarget: HTMLDetailsElement }): void {
  if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) currentTarget.open = false;
}
