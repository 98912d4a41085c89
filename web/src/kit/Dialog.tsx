import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../text/text";
import { Icon } from "./Icon";
import { dialogs, Toasts } from "./Toasts";

/** Dialog is shown over the page, which waits. Escape and the cross close it; focus goes back to where it was. */
export function Dialog(props: { title: string; onClose: () => void; wide?: boolean; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not after the next frame: a key that is pressed until then would be the page's behind it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    dialogs.value = [...dialogs.value, id];
    return () => {
      dialogs.value = dialogs.value.filter((one) => one !== id);
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={props.wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <header>
        <h2 id={id}>{props.title}</h2>
        <button type="button" class="icon" aria-label={text("close")} onClick={props.onClose}>
          <Icon name="close" />
        </button>
      </header>
      {props.children}
      <Toasts dialog={id} />
    </dialog>
  );
}
