import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./Icon";

/** What can be chosen from a menu. */
export interface Choice {
  label: string;
  icon?: IconName;
  danger?: boolean;
  /** A line stands before it. */
  apart?: boolean;
  /** Where one of several is in force: whether it is this. */
  checked?: boolean;
  onChoose: () => void;
}

interface Props {
  label: string;
  class?: string;
  /** Asked while the menu is open. */
  choices: () => readonly Choice[];
  /** The button is reached otherwise than by Tab. */
  skipped?: boolean;
  /** Is called when it opens. */
  onOpen?: () => void;
  /** Gets what opens the menu besides the button. */
  opener?: { current: (() => void) | null };
  disabled?: boolean;
  /** The button says in words what the label would. */
  worded?: boolean;
  children: ComponentChildren;
}

const gap = 4; // pixels between the button and the menu
const margin = 8; // to the edge of the window

/** opens is apart from the component, of which it keeps nothing: neither what was drawn, nor what was beside it. */
function opens(set: (open: boolean) => void): () => void {
  return () => set(true);
}

/** Menu is a button that opens a list of acts: arrows move in it, Escape and a click beside close it. */
export function Menu(props: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  const close = () => {
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  /** place puts the menu beside its button, inside the window. */
  const place = () => {
    const menu = list.current;
    const button = root.current?.querySelector("button");
    if (!menu || !button) return;
    const at = button.getBoundingClientRect();
    const { width, height } = menu.getBoundingClientRect();
    const below = at.bottom + gap + height + margin <= innerHeight;
    const end = getComputedStyle(button).direction === "rtl" ? at.left : at.right - width;
    menu.style.top = `${Math.max(margin, below ? at.bottom + gap : at.top - gap - height)}px`;
    menu.style.left = `${Math.max(margin, Math.min(end, innerWidth - width - margin))}px`;
  };
  useLayoutEffect(() => {
    if (!open) return;
    props.onOpen?.();
    list.current?.showPopover(); // above all, so that nothing cuts it off
    place();
    (items().find((item) => item.ariaChecked === "true") ?? items()[0])?.focus({ preventScroll: true });
  }, [open]);
  useEffect(() => {
    if (!open) return undefined;
    const beside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", beside);
    addEventListener("resize", place);
    return () => {
      removeEventListener("pointerdown", beside);
      removeEventListener("resize", place);
    };
  }, [open]);
  useLayoutEffect(() => {
    const { opener } = props;
    if (!opener) return undefined;
    opener.current = opens(setOpen);
    return () => {
      opener.current = null;
    };
  }, [props.opener]);
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
        aria-label={props.worded ? undefined : props.label}
        title={props.worded ? undefined : props.label}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        tabIndex={props.skipped ? -1 : undefined}
        disabled={props.disabled}
        onClick={() => setOpen(!open)}
      >
        {props.children}
      </button>
      {open && (
        <div role="menu" id={id} aria-label={props.label} popover="manual" ref={list}>
          {props.choices().map(({ label, icon, danger, apart, checked, onChoose }) => (
            <Fragment key={label}>
              {apart && <hr />}
              <button
                type="button"
                role={checked === undefined ? "menuitem" : "menuitemradio"}
                aria-checked={checked}
                tabIndex={-1}
                class={danger ? "danger" : undefined}
                onClick={() => {
                  close();
                  onChoose();
                }}
              >
                {checked !== undefined && <span class="tick">{checked && <Icon name="check" />}</span>}
                {icon && <Icon name={icon} />}
                {label}
              </button>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}
