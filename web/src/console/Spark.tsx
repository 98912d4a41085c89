import { sparkOf } from "./state/spark";
import type { Values } from "./state/history";

const width = 200;
const height = 36;

/** Spark is a small curve for those who see it. What it says stands in words beside it. */
export function Spark({ values }: { values: Values }) {
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path d={sparkOf(values, width, height)} />
    </svg>
  );
}
