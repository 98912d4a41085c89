import { signal } from "@preact/signals";

const shown = signal<readonly { id: number; words: string; danger: boolean }[]>([]);
let last = 0;

/** toast tells for some seconds that something was done, or was not. */
export function toast(words: string, options: { danger?: boolean } = {}): void {
  const id = ++last;
  shown.value = [...shown.value, { id, words, danger: options.danger ?? false }];
  setTimeout(() => (shown.value = shown.value.filter((one) => one.id !== id)), options.danger ? 10_000 : 4_000);
}

/** Toasts is where they are shown; a page has it once. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {shown.value.map(({ id, words, danger }) => (
        <p key={id} class={danger ? "danger" : undefined}>
          {words}
        </p>
      ))}
    </div>
  );
}
