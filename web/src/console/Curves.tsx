import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { date } from "../text/format";
import { language, text, type Text } from "../text/text";
import { type Line, Plot, type Plotted } from "./Plot";
import type { Shown } from "./state/figures";
import { ended, type Figures, together, type Values, valuesOf } from "./state/history";
import { extend, kinds, type Outlook } from "./state/trend";
import { age, bytes, delay, load, things, type Unit } from "./state/units";

/** A curve of a plot: its name, the series that it is of, and by what that is multiplied. */
interface Curve {
  name: Text;
  of: string;
  by?: number;
}

interface Panel {
  title: Text;
  help: Text;
  unit: Unit;
  /** Its figures add up until their step is over: they are told per step, or as a share of it. */
  sum?: "per" | "of";
  curves: readonly Curve[];
}

/** How a step is called in which figures are counted. */
const steps: Readonly<Record<number, Text>> = { 60: "console.perMinute", 3600: "console.perHour", 86400: "console.perDay" };

const panels = (step: number): readonly Panel[] => [
  {
    title: "console.messages", help: "console.messagesHelp", unit: things, sum: "per",
    curves: [{ name: "console.sentCurve", of: "sent" }, { name: "console.copies", of: "copies" }],
  },
  {
    title: "console.sendTime", help: "console.sendTimeHelp", unit: delay,
    curves: [{ name: "console.half", of: "send_p50", by: 1000 }, { name: "console.slowest", of: "send_p99", by: 1000 }],
  },
  {
    title: "console.streams", help: "console.streamsHelp", unit: things,
    curves: [{ name: "console.streams", of: "streams" }],
  },
  {
    title: "console.queues", help: "console.queuesHelp", unit: things,
    curves: [{ name: "console.queues", of: "queued" }],
  },
  {
    title: "console.oldestUnread", help: "console.oldestUnreadHelp", unit: age,
    curves: [{ name: "console.oldestUnread", of: "oldest_unread" }],
  },
  {
    title: "console.rejected", help: "console.rejectedHelp", unit: things, sum: "per",
    curves: [{ name: "console.rejected", of: "refused" }],
  },
  {
    title: "console.memory", help: "console.memoryHelp", unit: bytes,
    curves: [{ name: "console.memory", of: "memory_bytes" }],
  },
  {
    title: "console.processor", help: "console.processorHelp", unit: load, sum: "of",
    curves: [{ name: "console.processor", of: "cpu_seconds", by: 1 / step }],
  },
];

/** Curves are the figures of the installation over a range, with one crosshair over all of them. */
export function Curves({ figures, outlook }: Shown) {
  const cursor = useSignal<number | undefined>(undefined);
  const plotted = useMemo(() => [
    ...panels(figures.step).map((panel) => plotOf(panel, figures)),
    storageOf(figures, outlook),
  ], [figures, outlook, language.value]);
  return (
    <>
      <h2>{text("console.curves")}</h2>
      <div class="plots">
        {plotted.map((one) => <Plot key={one.title} {...one} cursor={cursor} />)}
      </div>
    </>
  );
}

function plotOf({ title, help, unit, sum, curves }: Panel, figures: Figures): Plotted {
  // A minute is told when it is over; an hour or a day also before.
  const told = sum && figures.step > 60 ? ended : (values: Values) => values;
  const lines = curves.map(({ name, of, by }): Line => ({ name: text(name), values: told(valuesOf(figures, of, by)) }));
  const per = sum === "per" ? steps[figures.step] : undefined;
  return { title: text(title), help: text(help), ...(per && { per: text(per) }), unit, times: figures.times, step: figures.step, lines };
}

const kindNames = ["console.storage", "console.storageLog", "console.storageFiles"] as const;

/** storageOf is what is stored, by kind, with the line by which the disk fills up. */
function storageOf(figures: Figures, outlook: Outlook | undefined): Plotted {
  const times = outlook ? extend(figures, outlook.full) : figures.times;
  const longer = (values: Values) => times.map((_, i) => values[i] ?? null);
  const lines: Line[] = kinds.flatMap((kind, i) => {
    const name = kindNames[i];
    return figures.series[kind] && name ? [{ name: text(name), values: longer(figures.series[kind]) }] : [];
  });
  let note: string | undefined;
  if (lines.length > 1) lines.push({ name: text("console.storageAll"), values: longer(together(figures, kinds)) });
  if (outlook) {
    lines.push({ name: text("console.trend"), values: times.map(outlook.line.at), derived: true });
    if (times.length > figures.times.length) {
      lines.push({ name: text("console.capacity"), values: times.map(() => outlook.capacity), derived: true, danger: true });
    }
    note = text("console.fullOn", { date: date(new Date(outlook.full * 1000)) });
  }
  return {
    title: text("console.stored"), help: text("console.storedHelp"), unit: bytes, times, step: figures.step, lines,
    known: figures.times.length, ...(note && { note }),
  };
}
