import mark from "../mark.json";

/** Logo draws the sign of Signet in the accent colour. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <circle cx={mark.ring.x} cy={mark.ring.y} r={mark.ring.radius} />
      <polyline points={mark.check.map((point) => point.join(",")).join(" ")} />
    </svg>
  );
}
