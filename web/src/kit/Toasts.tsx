import { signal } from "@preact/signals";

const shown = signal<readonly { id: number; words: string; danger: boolean }[]>([]);
let last = 0;

/** The dialogs that are open, the topmost last. What lies behind one is neither seen nor read out. */
export const dialogs = signal<readonly string[]>([]);

/** toast tells for some seconds that something was done, or was not. */
export function toast(words: string, options: { danger?: boolean } = {}): void {
  const id = ++last;
  shown.value = [...shown.value, { id, words, danger: options.danger ?? false }];
  setTimeout(() => (shown.value = shown.value.filter((one) => one.id !== id)), options.danger ? 10_000 : 4_000);
}

/** Toasts is where they are shown: in the topmost dialog, else on the page, which has it once without a dialog. */
export function Toasts({ dialog }: { dialog?: string }) {
  const top = dialogs.value.at(-1) === dialog;
  return (
    <div class="toasts" role="status">
      {top && shown.value.map(({ id, words, danger }) => (
        <p key={id} class={danger ? "danger" : undefined}>
          {words}
        </p>
      ))}
    </div>
  );
}
