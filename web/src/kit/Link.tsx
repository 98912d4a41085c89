import type { ComponentChildren } from "preact";
import { go } from "./state/route";

/** Link goes to another view of the page without loading it anew. */
export function Link(props: { to: string; class?: string; current?: boolean; label?: string; children: ComponentChildren }) {
  return (
    <a
      href={props.to}
      class={props.class}
      aria-current={props.current ? "page" : undefined}
      aria-label={props.label}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        go(props.to);
      }}
    >
      {props.children}
    </a>
  );
}
