import type { ComponentChildren } from "preact";
import { text } from "../text/text";
import { Dialog } from "./Dialog";
import { useBusy } from "./useBusy";
import { useRefusal } from "./useRefusal";

/** Confirm asks before something is done that can't be taken back. A refusal stays in the dialog. */
export function Confirm(props: {
  title: string;
  act: string;
  /** What the button says that changes nothing, where that is not to cancel. */
  back?: string;
  danger?: boolean;
  children?: ComponentChildren;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}) {
  const [problem, refuse] = useRefusal();
  const { busy, run } = useBusy();
  const confirm = async () => {
    try {
      await props.onConfirm();
      props.onClose();
    } catch (error) {
      refuse(error);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      {problem && (
        <p role="alert" class="problem">
          {problem}
        </p>
      )}
      <footer>
        <button type="button" onClick={props.onClose}>
          {props.back ?? text("cancel")}
        </button>
        <button type="button" class={props.danger ? "primary danger" : "primary"} aria-disabled={busy} onClick={() => void run(confirm)}>
          {props.act}
        </button>
      </footer>
    </Dialog>
  );
}
