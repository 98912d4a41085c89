import { Icon } from "../kit/Icon";
import { text } from "../text/text";

/** Movers move something within its list, and take it out. A button that has nothing to do keeps the focus. */
export function Movers(props: {
  /** What is moved, with its place. */
  of: string;
  first: boolean;
  last: boolean;
  onMove: (by: 1 | -1) => void;
  /** Undefined: it is the only one, and stays. */
  onRemove: (() => void) | undefined;
}) {
  const { of, first, last, onMove, onRemove } = props;
  const up = text("console.moveUp", { name: of });
  const down = text("console.moveDown", { name: of });
  const out = text("leaveOut", { name: of });
  return (
    <span class="movers">
      <button type="button" class="icon" data-by="-1" aria-label={up} title={up} aria-disabled={first} onClick={() => first || onMove(-1)}>
        <Icon name="up" />
      </button>
      <button type="button" class="icon" data-by="1" aria-label={down} title={down} aria-disabled={last} onClick={() => last || onMove(1)}>
        <Icon name="down" />
      </button>
      {onRemove && (
        <button type="button" class="icon" aria-label={out} title={out} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

/** moved is a list in which one has gone a place up or down. */
export function moved<T>(list: readonly T[], from: number, by: 1 | -1): T[] {
  const out = [...list];
  const [one, other] = [out[from], out[from + by]];
  if (one !== undefined && other !== undefined) [out[from], out[from + by]] = [other, one];
  return out;
}
