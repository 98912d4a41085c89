import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { count } from "../text/format";
import { text } from "../text/text";
import { Icon } from "./Icon";

/** A column: what stands in it, and what it sorts and is exported by. */
export interface Column<R> {
  title: string;
  /** For sorting and export. */
  value: (row: R) => string | number;
  /** What is shown, where that is more than the value. */
  show?: (row: R) => ComponentChildren;
  /** Numbers stand at the end of their column. */
  number?: boolean;
  /**
   * What matters less is left out where there is little room: of 2 in a narrow table, of 3 already where there is not room
   * for all. A row has it when it is opened.
   */
  priority?: 2 | 3;
}

/** cell is what a column shows of a row. */
function cell<R>({ value, show, number }: Column<R>, row: R): ComponentChildren {
  if (show) return show(row);
  return number ? count(Number(value(row))) : <bdi>{value(row)}</bdi>;
}

/** classOf is what the style goes by: where the column is left out, how it is aligned, and that there is nothing in it. */
export function classOf<R>({ priority, number, value }: Column<R>, row?: R): string | undefined {
  const blank = row !== undefined && value(row) === "";
  return [priority && `p${priority}`, number && "number", blank && "blank"].filter(Boolean).join(" ") || undefined;
}

/** Row is one of a table. Where columns are left out, it opens, and has them below. */
export function Row<R>({ row, columns, acts }: {
  row: R;
  columns: readonly Column<R>[];
  acts: ((row: R) => ComponentChildren) | undefined;
}) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const [first] = columns;
  const later = columns.filter(({ priority }) => priority);
  return (
    <>
      <tr role="row">
        {columns.map((column) => (
          <td key={column.title} role="cell" data-title={column.title} class={classOf(column, row)}>
            {cell(column, row)}
          </td>
        ))}
        {(acts || later.length > 0) && (
          <td role="cell" class={acts ? "acts" : "acts only"}>
            {later.length > 0 && (
              <button
                type="button"
                class="icon opener"
                aria-label={text("console.allOf", { name: first ? String(first.value(row)) : "" })}
                aria-expanded={open}
                aria-controls={open ? id : undefined}
                onClick={() => setOpen(!open)}
              >
                <Icon name={open ? "up" : "down"} />
              </button>
            )}
            {acts?.(row)}
          </td>
        )}
      </tr>
      {open && (
        <tr role="row" class="rest" id={id}>
          <td role="cell" colSpan={columns.length + 1}>
            <dl>
              {later.map((column) => (
                <div key={column.title} class={classOf({ ...column, number: false })}>
                  <dt>{column.title}</dt>
                  <dd>{column.value(row) === "" && !column.show ? "–" : cell(column, row)}</dd>
                </div>
              ))}
            </dl>
          </td>
        </tr>
      )}
    </>
  );
}
