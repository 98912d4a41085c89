import { useEffect, useRef } from "preact/hooks";
import { count } from "../text/format";
import { language } from "../text/text";
import { edges } from "./edges";
import { Link } from "./Link";

export interface Tab {
  to: string;
  title: string;
  /** How many things wait there; nothing is shown of none. */
  number?: number | undefined;
}

/** Tabs leads to the pages of something, each of which has an address. The chosen one is in sight at any width. */
export function Tabs({ label, tabs, at }: { label: string; tabs: readonly Tab[]; at: string }) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => edges(row.current), []);
  useEffect(() => {
    row.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [at, language.value, tabs.map(({ number }) => number).join()]); // what makes a tab wider moves others
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(({ to, title, number }) => (
        <Link key={to} to={to} current={to === at}>
          {title}
          {number ? <span class="number">{count(number)}</span> : null}
        </Link>
      ))}
    </nav>
  );
}
