import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { language, text } from "../text/text";
import { Plot, type Plotted } from "./Plot";
import { type Figures, last, mean, sum, valuesOf, whole } from "./state/history";
import { bytes, part, things, type Unit } from "./state/units";

/** Measures are the figures of an organization: of each the newest or the usual one, with how it got there. */
export function Measures({ figures, members }: { figures: Figures; members: number }) {
  const cursor = useSignal<number | undefined>(undefined);
  const plotted = useMemo(() => measuresOf(figures, members), [figures, members, language.value]);
  return (
    <div class="plots measures">
      {plotted.map((one) => <Plot key={one.title} {...one} cursor={cursor} />)}
    </div>
  );
}

function measuresOf(figures: Figures, members: number): Plotted[] {
  const measure = (title: string, help: string, of: string, unit: Unit, headline: number | undefined, note: string): Plotted => ({
    title, help, unit, note, times: figures.times, step: figures.step, lines: [{ name: title, values: valuesOf(figures, of) }],
    headline: headline === undefined ? "–" : unit.write(headline),
  });
  const [sent, active] = [valuesOf(figures, "sent"), valuesOf(figures, "active_people")];
  const [prompt, waiting] = [valuesOf(figures, "read_within_5m"), valuesOf(figures, "unread_over_1h")];
  const usual = mean(prompt);
  return [
    measure(
      text("console.sentDaily"), text("console.sentDailyHelp"), "sent", things, mean(whole(sent)),
      text("console.inAll", { n: sum(sent) }),
    ),
    measure(
      text("console.active"), text("console.activeHelp"), "active_people", things, last(whole(active)),
      text("console.ofPeople", { n: members }),
    ),
    measure(
      text("console.prompt"), text("console.promptHelp"), "read_within_5m", part, usual,
      text(usual === undefined ? "console.noUrgent" : "console.onAverage"),
    ),
    measure(
      text("console.waitingLong"), text("console.waitingLongHelp"), "unread_over_1h", things, last(waiting),
      text("console.newest"),
    ),
    measure(
      text("console.stored"), text("console.storedOfHelp"), "storage_bytes", bytes, last(valuesOf(figures, "storage_bytes")),
      text("console.openNow"),
    ),
  ];
}
