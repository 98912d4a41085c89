// Where the focus goes when what had it is gone: never to the body of the page, from which a key leads anywhere.

const able = "button, a[href], input:not(.unseen), select, textarea, [tabindex]:not([tabindex='-1'])";
const field = "input:not(.unseen, [type='checkbox'], [type='radio']), textarea, select";

function canHave(element: HTMLElement): boolean {
  return !element.matches(":disabled") && element.checkVisibility();
}

function firstIn(element: Element, of: string): HTMLElement | undefined {
  return [...element.querySelectorAll<HTMLElement>(of)].find(canHave);
}

/** begin gives a dialog's first field the focus, or else the first of its buttons that does not only close it. */
export function begin(dialog: HTMLElement): void {
  (firstIn(dialog, field) ?? firstIn(dialog, "footer button") ?? firstIn(dialog, able) ?? dialog).focus();
}

/** placeOf remembers a place in the page. The function that it returns gives the focus back to it, or to what is near. */
export function placeOf(element: Element | null): () => void {
  const around: Element[] = [];
  for (let one = element; one && one !== document.body; one = one.parentElement) around.push(one);
  return () => {
    const [itself] = around;
    if (itself instanceof HTMLElement && itself.isConnected && canHave(itself)) return itself.focus();
    for (const one of around) {
      const near = one.isConnected && firstIn(one, able);
      if (near) return near.focus();
    }
    firstIn(document.body, `main :is(${able})`)?.focus();
  };
}

/** hold keeps the focus within a box, once it is there: what had it may go, such as a row that is taken away. */
export function hold(box: HTMLElement): () => void {
  let place = box.contains(document.activeElement) ? placeOf(document.activeElement) : undefined;
  const come = ({ target }: FocusEvent) => (place = placeOf(target instanceof Element ? target : null));
  const changes = new MutationObserver(() => {
    if (document.activeElement === document.body) place?.();
  });
  box.addEventListener("focusin", come);
  changes.observe(box, { childList: true, subtree: true });
  return () => {
    box.removeEventListener("focusin", come);
    changes.disconnect();
  };
}
