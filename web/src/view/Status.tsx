import { text } from "../text/text";

const marks = { sending: "🕓", New: "✓", Delivered: "✓✓", Read: "✓✓" } as const;

/** Status shows how far an own message got. */
export function Status({ of }: { of: keyof typeof marks }) {
  return (
    <span class={`status status-${of.toLowerCase()}`} role="img" aria-label={text(of)} title={text(of)}>
      {marks[of]}
    </span>
  );
}
