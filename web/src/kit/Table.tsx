import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { text } from "../text/text";
import { formatCSV } from "./csv";
import { edges } from "./edges";
import { hold } from "./focus";
import { Icon } from "./Icon";
import { classOf, type Column, Row } from "./Rows";
import { save } from "./save";
import { useRefusal } from "./useRefusal";

export type { Column };

interface Page<R> {
  results: R[];
  metadata: { continuation?: string };
}

/**
 * Table lists what the interface lists in pages: sorted by any column, filtered by what `children` are, exported whole.
 * To sort and to export, all pages are loaded, which one can stop. On a phone each row is a card.
 */
export function Table<R>(props: {
  label: string;
  columns: readonly Column<R>[];
  /** Those of the file, where it has others. */
  exported?: readonly Column<R>[];
  load: (continuation: string | undefined) => Promise<Page<R>>;
  /** What the list depends on: it is loaded anew when that changes. */
  on: readonly unknown[];
  keyOf: (row: R) => string;
  empty: string;
  acts?: ((row: R) => ComponentChildren) | undefined;
  /** What stands above what filters: a heading, and what one does first here. */
  head?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const { columns, load } = props;
  const [rows, setRows] = useState<readonly R[] | undefined>();
  const [next, setNext] = useState<string | undefined>();
  const [problem, refuse] = useRefusal();
  const [whole, setWhole] = useState(false); // all pages are being loaded
  const [over, setOver] = useState(false); // the rows are of a list that is not wanted any more
  const [order, setOrder] = useState<{ column: number; down: boolean } | undefined>();
  const turn = useRef(0);
  const listing = useRef<HTMLElement>(null);
  useEffect(() => (listing.current ? hold(listing.current) : undefined), []);

  /** more loads the next page, or all. It returns nothing where that failed, or is not what is wanted any more. */
  const more = async (known: readonly R[], from: string | undefined, all: boolean): Promise<readonly R[] | undefined> => {
    const mine = turn.current;
    let list = known;
    refuse(undefined);
    setWhole(all);
    try {
      for (let place = from, first = true; first || (place !== undefined && (all || list.length === known.length)); first = false) {
        const page = await load(place);
        if (mine !== turn.current) return undefined;
        list = [...list, ...page.results];
        place = page.metadata.continuation;
        setRows(list);
        setNext(place);
        setOver(false);
      }
    } catch (error) {
      if (mine !== turn.current) return undefined;
      refuse(error);
      if (list.length === 0) setRows(undefined); // what is shown is not what was asked for
      return undefined;
    } finally {
      if (mine === turn.current) setWhole(false);
    }
    return list;
  };
  const stop = () => {
    turn.current++;
    setWhole(false);
  };
  useEffect(() => {
    stop();
    setNext(undefined);
    setOver(true);
    void more([], undefined, false);
    return () => void turn.current++;
  }, props.on);

  const download = async () => {
    const all = next === undefined ? (rows ?? []) : await more(rows ?? [], next, true);
    if (!all) return; // a file that lacks rows would look like one that has all
    const of = props.exported ?? columns;
    const content = [of.map(({ title }) => title), ...all.map((row) => of.map(({ value }) => value(row)))];
    save(`${props.label}.csv`, new Blob([formatCSV(content)], { type: "text/csv" }));
  };
  const sort = (column: number) => {
    setOrder({ column, down: order?.column === column && !order.down });
    if (next !== undefined && !whole) void more(rows ?? [], next, true);
  };
  const by = order && columns[order.column];
  const has = (which: 2 | 3) => columns.some(({ priority }) => priority === which);
  const shown = by ? [...(rows ?? [])].sort((a, b) => compare(by.value(a), by.value(b)) * (order.down ? -1 : 1)) : rows;
  return (
    <section ref={listing} class="listing" aria-label={props.label} aria-busy={rows === undefined && !problem}>
      {props.head && <header class="head">{props.head}</header>}
      <div class="tools">
        {props.children}
        <button type="button" class="export" onClick={() => void download()} disabled={!rows?.length || whole || over}>
          <Icon name="download" /> {text("console.csv")}
        </button>
      </div>
      {problem && (
        <p role="alert" class="problem">
          {problem}{" "}
          {rows === undefined && <button type="button" onClick={() => void more([], undefined, false)}>{text("tryAgain")}</button>}
        </p>
      )}
      {rows === undefined && !problem && <p class="empty wait">{text("loading")}</p>}
      {rows?.length === 0 && next === undefined && <p class="empty">{props.empty}</p>}
      {shown !== undefined && shown.length > 0 && (
        <div class="table" tabIndex={0} role="region" aria-label={props.label} ref={edges}>
          {/* Roles, because a browser forgets those of elements that its style shows as something else. */}
          <table role="table" class={[has(2) && "second", has(3) && "third"].filter(Boolean).join(" ") || undefined}>
            <thead role="rowgroup">
              <tr role="row">
                {columns.map((one, column) => (
                  <th
                    key={one.title}
                    scope="col"
                    role="columnheader"
                    class={classOf(one)}
                    aria-sort={order?.column === column ? (order.down ? "descending" : "ascending") : undefined}
                  >
                    <button type="button" onClick={() => sort(column)}>
                      {one.title}
                      {order?.column === column && <Icon name={order.down ? "down" : "up"} />}
                    </button>
                  </th>
                ))}
                {(props.acts || has(2) || has(3)) && (
                  <th scope="col" role="columnheader" class={props.acts ? "acts" : "acts only"}>
                    <span class="unseen">{text("console.acts")}</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody role="rowgroup">
              {shown.map((row) => (
                <Row key={props.keyOf(row)} row={row} columns={columns} acts={props.acts} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {next !== undefined && rows !== undefined && (
        <p class="more">
          <span role="status">{text("console.soFar", { n: rows.length })}</span>
          <button type="button" onClick={() => (whole ? stop() : void more(rows, next, false))}>
            {text(whole ? "console.stop" : "console.more")}
          </button>
        </p>
      )}
    </section>
  );
}

function compare(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
