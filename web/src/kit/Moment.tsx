import { date, minute, moment } from "../text/format";

const formats = { day: date, minute, second: moment };

/** Moment is a time to the minute or as it says, and to the second where one points at it; or what stands for none. */
export function Moment({ at, none = "–", to = "minute" }: { at: string | undefined; none?: string; to?: keyof typeof formats }) {
  if (!at) return <>{none}</>;
  return (
    <time dateTime={at} title={moment(at)}>
      {formats[to](at)}
    </time>
  );
}
