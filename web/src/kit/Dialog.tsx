import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../text/text";
import { begin, hold, placeOf } from "./focus";
import { Icon } from "./Icon";
import { Standing } from "./Standing";
import { dialogs, Toasts } from "./Toasts";

interface Props {
  title: string;
  onClose: () => void;
  /** Somebody clicked beside it, which does nothing else. */
  onBeside?: () => void;
  /** How large it is, where that is not as large as a form. */
  size?: "wide" | "whole";
  children: ComponentChildren;
}

/** What gives the focus back, of each dialog: one that is opened from another may outlive it. */
const returns = new WeakMap<HTMLDialogElement, () => void>();

/** lift shows a dialog that is open over those that were shown after it. */
function lift(title: string): void {
  const dialog = document.getElementById(title)?.closest("dialog");
  if (!dialog?.open) return;
  dialog.close();
  dialog.showModal();
  begin(dialog);
}

/** Dialog is shown over the page, which waits. Escape and the cross close it; focus goes back to where it was. */
export function Dialog({ title, onClose, onBeside, size = undefined, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not after the next frame: a key that is pressed until then would be the page's behind it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) return undefined;
    const over = document.activeElement?.closest("dialog");
    const [place, earlier] = [placeOf(document.activeElement), over ? returns.get(over) : undefined];
    const before = () => (over?.isConnected ? place() : (earlier ?? place)());
    returns.set(dialog, before);
    dialog.showModal();
    begin(dialog);
    const stop = hold(dialog);
    // Who presses Escape again, and nothing else, is obeyed by the browser, whatever the page says. What is still to be
    // answered is shown again.
    const insist = () =>
      requestAnimationFrame(() => {
        if (!dialog.isConnected || dialog.open) return;
        dialog.showModal();
        begin(dialog);
        for (const later of dialogs.value.slice(dialogs.value.indexOf(id) + 1)) lift(later);
      });
    dialog.addEventListener("close", insist);
    dialogs.value = [...dialogs.value, id];
    return () => {
      stop();
      dialog.removeEventListener("close", insist);
      dialogs.value = dialogs.value.filter((one) => one !== id);
      dialog.close();
      before();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={size ? `dialog ${size}` : "dialog"}
      tabIndex={-1}
      aria-labelledby={id}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return; // of a file chooser in it
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onBeside?.()}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="icon" aria-label={text("close")} title={text("close")} onClick={onClose}>
          <Icon name="close" />
        </button>
        <Standing dialog={id} />
      </header>
      {children}
      <Toasts dialog={id} />
    </dialog>
  );
}
