import { clock, hour } from "../text/format";
import { text } from "../text/text";

/** LastSeen is the hour in which somebody was last here, which is all that is told of it. */
export function LastSeen({ at }: { at: string | undefined }) {
  if (!at) return <>{text("console.never")}</>;
  const until = new Date(new Date(at).getTime() + 3_600_000);
  return (
    <time dateTime={at} title={text("console.seenBetween", { from: clock(at), to: clock(until) })}>
      {hour(at)}
    </time>
  );
}
