import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId, useRef } from "preact/hooks";

interface Props<T extends string> {
  label: string;
  /** Each with its name. */
  tabs: readonly (readonly [T, string])[];
  chosen: T;
  onChoose: (tab: T) => void;
  children: ComponentChildren;
}

/** Tabs shows one of several. Arrow keys choose another one, Home and End the first and the last. */
export function Tabs<T extends string>({ label, tabs, chosen, onChoose, children }: Props<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = tabs.findIndex(([tab]) => tab === chosen);
  const move = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    const places: Readonly<Record<string, number>> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const to = places[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + tabs.length) % tabs.length;
    const [tab] = tabs[next] ?? [];
    if (tab) onChoose(tab);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(([tab, name]) => (
          <button
            key={tab}
            id={`${id}-${tab}`}
            type="button"
            role="tab"
            aria-selected={tab === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab === chosen ? 0 : -1}
            translate={false}
            onClick={() => onChoose(tab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  );
}
