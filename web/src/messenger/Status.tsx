import { Icon } from "../kit/Icon";
import { text } from "../text/text";

const marks = { sending: "clock", New: "check", Delivered: "checks", Read: "checks" } as const;

/** Status shows how far an own message got. */
export function Status({ of }: { of: keyof typeof marks }) {
  return (
    <span class={`status status-${of.toLowerCase()}`} role="img" aria-label={text(of)} title={text(of)}>
      <Icon name={marks[of]} />
    </span>
  );
}
