import { type Signal, signal, useSignalEffect } from "@preact/signals";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { edges } from "../kit/edges";
import { theme } from "../kit/state/theme";
import { language, text } from "../text/text";
import { draw, type Drawing, inkOf, type Stroke } from "./drawing";
import { Hint } from "./Hint";
import { isEmpty, last, nearest } from "./state/history";
import { moment, type Unit } from "./state/units";

/** A curve with its name. */
export interface Line extends Stroke {
  readonly name: string;
}

/** What a plot shows. */
export interface Plotted {
  readonly title: string;
  /** In what time its figures are counted. */
  readonly per?: string;
  readonly help: string;
  readonly unit: Unit;
  /** In seconds since 1970, and how far they are apart. */
  readonly times: readonly number[];
  readonly step: number;
  readonly lines: readonly Line[];
  /** How many of the times have been; undefined: all. */
  readonly known?: number;
  readonly note?: string;
  /** What matters most, in large; the curve is small then. */
  readonly headline?: string;
}

/** The time that the crosshair is at, in seconds since 1970; undefined while it is nowhere. All plots of a page have one. */
type Cursor = Signal<number | undefined>;

/** The system is dark. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(dark.matches);
dark.addEventListener("change", () => (systemIsDark.value = dark.matches));

/**
 * Plot draws figures over time. Pointer and arrow keys move the crosshair, whose figures stand above, and are read out
 * where it is moved by keys; a table has them all.
 */
export function Plot(props: Plotted & { cursor: Cursor }) {
  const { title, per, help, lines, note, headline } = props;
  const id = useId();
  const empty = lines.every(({ values, derived }) => derived || isEmpty(values));
  return (
    <figure class={headline ? "plot small" : "plot"} aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{title}</h3>
        {per && <small>{per}</small>}
        <Hint on={title}>{help}</Hint>
      </figcaption>
      {headline && <strong class="headline" translate={false}>{headline}</strong>}
      {headline ? <Note {...props} /> : !empty && <Legend {...props} />}
      {empty ? <p class="nothing">{text("console.noFigures")}</p> : <Area {...props} />}
      {!headline && note && <p class="note">{note}</p>}
      {!empty && <AsTable {...props} />}
    </figure>
  );
}

/** at is the place of the crosshair, or of what is newest. */
function at({ times, known = times.length, cursor }: Plotted & { cursor: Cursor }): number {
  return cursor.value === undefined ? known - 1 : nearest(times, cursor.value);
}

/** told is a figure in words. */
function told(value: number | null | undefined, unit: Unit): string {
  return value === null || value === undefined ? "–" : unit.write(value);
}

/** Legend names the curves, each with its figure at the crosshair, or with its newest one. */
function Legend(props: Plotted & { cursor: Cursor }) {
  const { lines, unit, times, step, cursor } = props;
  const place = at(props);
  const value = ({ values }: Line) => cursor.value === undefined ? last(values.slice(0, place + 1)) : values[place];
  return (
    <div class="reading">
      <ul>
        {lines.map((line, i) => (
          <li key={line.name}>
            <svg class="ink" viewBox="0 0 16 4" aria-hidden="true" focusable="false" style={{ color: `var(${inkOf(line, i)})` }}>
              <path d="M0 2h16" />
            </svg>
            {lines.length > 1 && <span>{line.name}</span>} {!line.derived && <strong translate={false}>{told(value(line), unit)}</strong>}
          </li>
        ))}
      </ul>
      <small>{cursor.value === undefined ? text("console.newest") : <Time seconds={times[place]} step={step} />}</small>
    </div>
  );
}

/** Note says what the large figure is; or, at the crosshair, what was there. */
function Note(props: Plotted & { cursor: Cursor }) {
  const { lines, unit, times, step, note, cursor } = props;
  const place = at(props);
  return (
    <small class="note">
      {cursor.value === undefined ? note : (
        <>
          <Time seconds={times[place]} step={step} />: <strong translate={false}>{told(lines[0]?.values[place], unit)}</strong>
        </>
      )}
    </small>
  );
}

function Time({ seconds = 0, step }: { seconds: number | undefined; step: number }) {
  return <time dateTime={new Date(seconds * 1000).toISOString()}>{moment(seconds, step)}</time>;
}

/** How far keys move the crosshair. */
const moves: Readonly<Record<string, number>> = {
  ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity,
};

/** Area is what is drawn. To those who do not see it, it is a slider over the times, which says the figures of each. */
function Area(props: Plotted & { cursor: Cursor }) {
  const { title, times, step, unit, lines, headline, cursor } = props;
  const area = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | undefined>(undefined);
  const place = at(props);
  const small = headline !== undefined;
  useLayoutEffect(() => {
    if (!area.current) return undefined;
    const onHover = (time: number | undefined) => (cursor.value = time);
    drawing.current = draw(area.current, { times, step, unit, lines, small, onHover });
    drawing.current.point(cursor.peek() === undefined ? undefined : nearest(times, cursor.peek() ?? 0));
    return () => drawing.current?.remove();
  }, [times, step, unit, lines, small, language.value, theme.value, systemIsDark.value]);
  useSignalEffect(() => {
    const time = cursor.value;
    drawing.current?.point(time === undefined ? undefined : nearest(times, time));
  });
  const read = lines.flatMap(({ name, values, derived }) => (derived ? [] : [`${name} ${told(values[place], unit)}`]));
  return (
    <div
      ref={area}
      class="area"
      role="slider"
      tabIndex={0}
      aria-label={title}
      aria-valuemin={0}
      aria-valuemax={times.length - 1}
      aria-valuenow={place}
      aria-valuetext={`${moment(times[place] ?? 0, step)}: ${read.join(", ")}`}
      onBlur={() => (cursor.value = undefined)}
      onKeyDown={(event) => {
        const by = moves[event.key];
        if (event.key === "Escape") cursor.value = undefined;
        if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        cursor.value = times[Math.max(0, Math.min(times.length - 1, at(props) + by))];
      }}
    />
  );
}

/** AsTable has all figures in a table, the newest first. It is made when it is opened. */
function AsTable({ title, times, known = times.length, step, lines, unit }: Plotted) {
  const [open, setOpen] = useState(false);
  const counted = lines.filter(({ derived }) => !derived);
  const rows = open ? Array.from({ length: known }, (_, i) => known - 1 - i) : [];
  return (
    <details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={text("console.asTableOf", { name: title })}>{text("console.asTable")}</summary>
      {open && (
        <div class="table" tabIndex={0} role="region" aria-label={title} ref={edges}>
          <table>
            <thead>
              <tr>
                <th scope="col">{text("console.time")}</th>
                {counted.map(({ name }) => <th key={name} scope="col" class="number">{name}</th>)}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row}>
                  <th scope="row"><Time seconds={times[row]} step={step} /></th>
                  {counted.map(({ name, values }) => <td key={name} class="number" translate={false}>{told(values[row], unit)}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
