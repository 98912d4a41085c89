import { useRef } from "preact/hooks";
import { later } from "../kit/later";
import { go, path, query } from "../kit/state/route";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { Figures } from "./Figures";
import { Segments } from "./Segments";
import { Servers } from "./Servers";
import { ofInstallation, type Shown } from "./state/figures";
import { chosen, type Range, ranges } from "./state/ranges";
import { keysOf, warningsOf } from "./state/warnings";
import { useWatched } from "./useWatched";
import { Warnings } from "./Warnings";

/** How often what is shown is asked for anew, in milliseconds: the figures of this moment, and curves by their steps. */
const often = 10_000;
const curvesOften = { hour: 60_000, day: 60_000, month: 600_000, year: 600_000 } as const;

const Curves = later(async () => (await import("./plots")).Curves);

/** Installation is how the installation does, for operators. */
export function Installation() {
  const range = chosen(query.value, ranges, "day");
  const { value: status, ...asked } = useWatched((options) => client.getStatus(options), often, []);
  const { value: history, ...curves } = useWatched((options) => ofInstallation(range, options), curvesOften[range], [range]);
  const { value: keys, ...safety } = useLoaded(askKeys, []);
  const shown = useRef<Shown | undefined>(undefined); // what is there stays until what was asked for has come
  shown.current = history ?? shown.current;
  const rate = useRate(status);

  const all = [asked, curves, safety];
  const problem = all.find((one) => one.problem !== "")?.problem;
  const refused = problem && (
    <p role="alert" class="problem">
      {problem}{" "}
      <button type="button" onClick={() => all.forEach((one) => one.problem && one.reload())}>
        {text("tryAgain")}
      </button>
    </p>
  );
  return (
    <>
      <header class="head">
        <h1>{text("console.overview")}</h1>
        <Segments<Range>
          label={text("console.range")}
          value={range}
          onChange={(one) => go(`${path.value}?range=${one}`, { replace: true })}
          options={{
            hour: text("console.rangeHour"), day: text("console.rangeDay"), month: text("console.rangeMonth"),
            year: text("console.rangeYear"),
          }}
        />
      </header>
      {refused}
      {!status && !problem && <p class="empty wait">{text("loading")}</p>}
      {status && (
        <>
          <Warnings warnings={warningsOf(status, { outlook: shown.current?.outlook, keys })} since={status.server.started_time} />
          <Figures status={status} rate={rate} />
        </>
      )}
      {shown.current && (
        <div aria-busy={!history}>
          <Curves {...shown.current} />
        </div>
      )}
      {status && <Servers {...status} />}
    </>
  );
}

/** askKeys finds out whether the key ring was ever copied. */
async function askKeys() {
  const { results } = await client.listSettings();
  return keysOf(results, async () => (await client.getAudit({ action: "keyring.export", limit: 1 })).length > 0);
}

type Status = Awaited<ReturnType<typeof client.getStatus>>;

/** useRate is how many messages were sent in a minute, by the last two answers. */
function useRate(status: Status | undefined): number | undefined {
  const before = useRef<Status | undefined>(undefined);
  const rate = useRef<number | undefined>(undefined);
  if (status && status !== before.current) {
    const last = before.current;
    const seconds = last ? (Date.parse(status.time) - Date.parse(last.time)) / 1000 : 0;
    // Behind a balancer another server may answer, which counts for itself.
    if (last && seconds > 0 && last.server.started_time === status.server.started_time) {
      rate.current = ((status.server.messages.sent - last.server.messages.sent) / seconds) * 60;
    }
    before.current = status;
  }
  return rate.current;
}
