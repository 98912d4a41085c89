// What happens when a view has been shown: its place is in sight, and the focus is not lost.
import { useEffect, useRef } from "preact/hooks";
import { hash, path } from "../kit/state/route";

/** The id of the heading of what is shown. */
export const titleID = "page-title";

let first = true;

/** useArrival brings the place of the address into sight, at the latest when all that belongs to the view has come. */
export function useArrival(complete: unknown = true): void {
  const found = useRef(false);
  useEffect(() => {
    const place = placeOf(location.hash);
    found.current = place !== null;
    if (place) reveal(place);
    else start();
    first = false;
  }, [path.value, hash.value]);
  useEffect(() => {
    const place = placeOf(location.hash);
    if (!place || (found.current && place !== document.activeElement)) return; // whoever went on stays where that is
    found.current = true;
    reveal(place);
  }, [complete]);
}

function placeOf(address: string): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(address.slice(1)));
  } catch {
    return null; // it is not encoded as an address is
  }
}

/** reveal opens what hides a place, and shows where it is. */
function reveal(place: HTMLElement): void {
  for (let around = place.closest("details"); around; around = around.parentElement?.closest("details") ?? null) {
    around.open = true;
  }
  place.scrollIntoView();
  place.focus({ preventScroll: true });
}

/** start shows a view from its beginning. Whoever works through the list stays there, as long as it is shown. */
function start(): void {
  scrollTo(0, 0);
  const list = document.activeElement?.closest("nav.list");
  if (!first && !list?.checkVisibility()) document.getElementById(titleID)?.focus({ preventScroll: true });
}
