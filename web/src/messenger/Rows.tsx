import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { hold } from "../kit/focus";
import { parts, show } from "./state/parts";

const rows = "button.row";

/** stepIn moves the focus with the arrows between the rows of a list. It reports whether it has moved. */
export function stepIn(event: KeyboardEvent): boolean {
  const way = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const box = event.currentTarget;
  const row = event.target instanceof Element && event.target.closest(rows);
  if (!way || !row || event.altKey || !(box instanceof Element)) return false;
  const all = [...box.querySelectorAll<HTMLElement>(rows)];
  const to = all[all.findIndex((one) => one === row) + way];
  if (!to) return false;
  event.preventDefault();
  to.focus();
  return true;
}

/** Rows hold what the search shows below its field: arrows lead from there to the rows and back, as Escape does. */
export function Rows(props: { label: string; busy: boolean; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => show("results", { focus: () => box.current?.querySelector<HTMLElement>(rows)?.focus() }), []);
  useEffect(() => (box.current ? hold(box.current) : undefined), []);
  return (
    <div
      class="rows"
      role="group"
      aria-label={props.label}
      aria-busy={props.busy}
      ref={box}
      onKeyDown={(event) => {
        if (stepIn(event)) return;
        const up = event.key === "ArrowUp" && !event.altKey && event.target instanceof Element && event.target.matches(rows);
        if (!up && event.key !== "Escape") return;
        parts.search?.focus();
        event.preventDefault();
      }}
    >
      {props.children}
    </div>
  );
}
