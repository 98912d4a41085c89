// The drawing of a plot, by uPlot. It is for those who see it: what it shows is told in words and in a table elsewhere.
import uPlot from "uplot";
import type { Values } from "./state/history";
import { mark, topOf, type Unit } from "./state/units";

export interface Stroke {
  readonly values: Values;
  /** It is worked out, and no figure that was counted. */
  readonly derived?: boolean;
  /** It is where things go wrong. */
  readonly danger?: boolean;
}

export interface Drawable {
  readonly times: readonly number[];
  readonly step: number;
  readonly unit: Unit;
  readonly lines: readonly Stroke[];
  /** Without axes, where there is little room. */
  readonly small: boolean;
  /** The pointer is at a time, or has left. */
  readonly onHover: (time: number | undefined) => void;
}

export interface Drawing {
  /** point moves the crosshair to the figures at a place, or takes it away. */
  point: (at: number | undefined) => void;
  remove: () => void;
}

/** How curves differ where colours are not seen, in pixels of line and gap. */
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3]] as const;
const inks = ["--accent", "--amber", "--good", "--text"] as const;

/** inkOf is the colour of a curve by its place, as a token. */
export function inkOf({ derived, danger }: Stroke, place: number): string {
  return danger ? "--danger" : derived ? "--text-2" : (inks[place % inks.length] ?? inks[0]);
}

const dashOf = ({ derived }: Stroke, place: number): number[] => derived ? [4, 4] : [...(dashes[place % dashes.length] ?? [])];

/** All that are drawn, each painted anew for paper and afterwards. */
const drawn = new Set<() => void>();
for (const [event, printing] of [["beforeprint", true], ["afterprint", false]] as const) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", printing); // paper is light
    for (const paint of drawn) paint();
  });
}

/** draw draws into an element as wide as that is, in the colours of its theme. */
export function draw(into: HTMLElement, what: Drawable): Drawing {
  let chart = made(into, what);
  let place: number | undefined;
  const point = (at: number | undefined) => {
    place = at;
    const time = at === undefined ? undefined : what.times[at];
    chart.setCursor(time === undefined ? { left: -10, top: -10 } : { left: chart.valToPos(time, "x"), top: 0 }, false);
  };
  const paint = () => {
    chart.destroy();
    chart = made(into, what);
    point(place);
  };
  drawn.add(paint);
  const fit = new ResizeObserver(() => {
    const width = into.clientWidth;
    if (width === 0 || width === chart.width) return;
    chart.setSize({ width, height: chart.height });
    point(place);
  });
  fit.observe(into);
  return {
    point,
    remove: () => {
      fit.disconnect();
      drawn.delete(paint);
      chart.destroy();
    },
  };
}

/** Nothing is done by the pointer but what hover tells. */
const deaf = () => null;
const bind = { mousedown: deaf, mouseup: deaf, click: deaf, dblclick: deaf, mousemove: deaf, mouseleave: deaf, mouseenter: deaf };

function made(into: HTMLElement, what: Drawable): uPlot {
  const { times, lines, small } = what;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const ink = palette(into);
  const options: uPlot.Options = {
    width: into.clientWidth || 300,
    height: into.clientHeight || 160,
    padding: small ? [4, 4, 4, 4] : [8, 30, 0, 0], // at the right there is half of a time under the axis
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 }, bind },
    tzDate: (seconds) => what.step < 86_400 ? new Date(seconds * 1000) : uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: {
      x: { time: true, range: () => [first, Math.max(last, first + what.step)] },
      y: { range: (_chart, _least, most: number | null) => [0, topOf(what.unit, most ?? 0)] },
    },
    axes: small ? [{ show: false }, { show: false }] : axes(what, ink),
    series: [{}, ...lines.map((line, i) => series(line, i, lines.length, ink))],
  };
  const chart = new uPlot(options, [[...times], ...lines.map(({ values }) => [...values])], into);
  const hover = (event: PointerEvent) => what.onHover(times[chart.posToIdx(event.offsetX)]);
  chart.over.addEventListener("pointermove", hover);
  chart.over.addEventListener("pointerdown", hover);
  chart.over.addEventListener("pointerleave", () => what.onHover(undefined));
  return chart;
}

type Palette = (token: string) => string;

/** palette finds out how a token of the theme looks in a place: what is drawn takes no styles. */
function palette(into: HTMLElement): Palette {
  const known = new Map<string, string>();
  return (token) => {
    let color = known.get(token);
    if (color === undefined) {
      const probe = into.appendChild(document.createElement("span"));
      probe.style.color = `var(${token})`;
      ({ color } = getComputedStyle(probe));
      probe.remove();
      known.set(token, color);
    }
    return color;
  };
}

/** thin is a colour, nearly transparent. */
const thin = (color: string) => color.replace(/^rgb\((.*)\)$/, "rgba($1, 0.12)");

function series(line: Stroke, place: number, of: number, ink: Palette): uPlot.Series {
  const stroke = ink(inkOf(line, place));
  return {
    stroke,
    width: line.derived ? 1.25 : 1.75,
    dash: dashOf(line, place),
    points: { size: 4, fill: stroke, ...(line.derived && { show: false }) },
    ...(of === 1 && { fill: thin(stroke) }),
  };
}

function axes({ unit, step }: Drawable, ink: Palette): uPlot.Axis[] {
  const family = getComputedStyle(document.body).fontFamily;
  const both = { stroke: ink("--text-2"), font: `12px ${family}`, grid: { stroke: ink("--line"), width: 1 }, ticks: { show: false } };
  return [
    { ...both, size: 28, space: 76, values: (_chart, splits, _axis, _space, apart) => splits.map((time) => mark(time, apart, step)) },
    { ...both, size: 64, space: 34, incrs: [...unit.steps], values: (_chart, splits) => splits.map(unit.brief) },
  ];
}
