import { useEffect, useState } from "preact/hooks";
import { tick } from "../text/clock";
import { date, minute, moment } from "../text/format";
import { relative } from "../text/relative";

const formats = { relative, day: date, minute, second: moment };

const often = 10_000; // milliseconds

/** How many are shown, which one timer keeps true; it goes by the server's clock, as far as the page has heard that. */
let shown = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function useTicking(): void {
  useEffect(() => {
    if (shown++ === 0) timer = setInterval(tick, often);
    return () => {
      if (--shown === 0) clearInterval(timer);
    };
  }, []);
}

/**
 * Moment is a time as people say it ("5 min ago"), or as `to` has it; or what stands for none. It is exact where one
 * points at it, and once it is tapped or has the focus: not everybody can point.
 */
export function Moment({ at, none = "–", to = "relative" }: { at: string | undefined; none?: string; to?: keyof typeof formats }) {
  const [exact, setExact] = useState(false);
  useTicking();
  if (!at) return <>{none}</>;
  const whole = moment(at);
  return (
    <time dateTime={at} title={whole} tabIndex={0} onFocus={() => setExact(true)} onBlur={() => setExact(false)}>
      {exact ? whole : formats[to](at)}
    </time>
  );
}
