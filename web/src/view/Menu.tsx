import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./Icon";

/** What can be chosen from a menu. */
export interface Choice {
  label: string;
  icon?: IconName;
  danger?: boolean;
  onChoose: () => void;
}

/** Menu is a button that opens a list of acts: arrows move in it, Escape and a click beside close it. */
export function Menu(props: { label: string; class?: string; choices: readonly Choice[]; children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  useEffect(() => {
    if (!open) return undefined;
    items()[0]?.focus();
    const beside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", beside);
    return () => removeEventListener("pointerdown", beside);
  }, [open]);
  const move = (by: number) => {
    const all = items();
    const at = all.findIndex((item) => item === document.activeElement);
    all[(at + by + all.length) % all.length]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open) return;
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Tab") return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class={props.class ?? "icon"}
        aria-label={props.label}
        title={props.label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {props.children}
      </button>
      {open && (
        <div role="menu" id={id} aria-label={props.label}>
          {props.choices.map(({ label, icon, danger, onChoose }) => (
            <button
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={danger ? "danger" : undefined}
              key={label}
              onClick={() => {
                close();
                onChoose();
              }}
            >
              {icon && <Icon name={icon} />}
              {label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
