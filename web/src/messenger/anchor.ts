// Where a history stays while things change in it and around it. This alone decides.

import type { Place } from "./state/place";

/** How a box was left. Where it differs without anybody having scrolled, the layout has changed. */
interface Shape {
  readonly width: number;
  readonly height: number;
  readonly content: number;
  readonly top: number;
}

/**
 * Anchor keeps a box at its end, or what is read in it where it is, to the pixel.
 *
 * Browsers report a scroll after the layout that may have caused it, but before they report the layout. So a box whose
 * shape has changed since it was left was not scrolled by anybody, and it is put back. A box of the same shape was
 * scrolled, and what it shows now is the anchor.
 */
export class Anchor {
  #spots: readonly Place[] | undefined; // what is seen, from the top; undefined at the end
  #left: Shape | undefined; // undefined while the box is not seen

  get atEnd(): boolean {
    return this.#spots === undefined;
  }

  /** spot is what is read; undefined at the end. */
  get spot(): Place | undefined {
    return this.#spots?.[0];
  }

  /** stay has the box put somewhere when it is restored: undefined is its end. */
  stay(at: Place | undefined): void {
    this.#spots = at && [at];
  }

  /**
   * look takes what is seen for the anchor, if somebody has scrolled, and reports that. whole: the end of the box is
   * the end of all.
   */
  look(box: HTMLElement, whole: boolean): boolean {
    const { width, height, content, top } = shapeOf(box);
    const left = this.#left;
    if (left?.width !== width || left.height !== height || left.content !== content || left.top === top) return false;
    this.#take(box, whole);
    return true;
  }

  /** restore brings the box back to its anchor. */
  restore(box: HTMLElement, whole: boolean): void {
    if (box.clientHeight === 0) {
      this.#left = undefined; // something is in its place
      return;
    }
    const edge = box.getBoundingClientRect().top;
    for (const { id, top } of this.#spots ?? []) {
      const node = box.querySelector(`[data-id="${CSS.escape(id)}"]`);
      if (!node) continue; // it is gone; the next one is read now
      move(box, node.getBoundingClientRect().top - edge - top);
      break;
    }
    if (this.atEnd) move(box, box.scrollHeight - box.clientHeight - box.scrollTop);
    else if (whole && showsEnd(box)) this.#take(box, whole);
    this.#left = shapeOf(box);
  }

  #take(box: HTMLElement, whole: boolean): void {
    this.#left = shapeOf(box);
    this.#spots = whole && showsEnd(box) ? undefined : spotsOf(box);
  }
}

/** move scrolls, unless by nothing: that would stop a scroll that goes on. */
function move(box: HTMLElement, by: number): void {
  if (Math.abs(by) >= 0.5) box.scrollTop += by;
}

function shapeOf(box: HTMLElement): Shape {
  return { width: box.clientWidth, height: box.clientHeight, content: box.scrollHeight, top: box.scrollTop };
}

/** showsEnd reports whether the newest message is wholly in sight, or at least all of it that has room. */
function showsEnd(box: HTMLElement): boolean {
  const { bottom = 0 } = box.firstElementChild?.getBoundingClientRect() ?? {};
  return bottom <= box.getBoundingClientRect().bottom + 1;
}

/**
 * spotsOf returns what is seen, from the top. But the first spot whose beginning is seen comes before a spot that began
 * out of sight: in a wider window that one may be out of sight altogether.
 */
function spotsOf(box: HTMLElement): readonly Place[] {
  const edge = box.getBoundingClientRect();
  const spots: Place[] = [];
  for (const node of box.querySelectorAll<HTMLElement>("[data-id]")) {
    const { top, bottom } = node.getBoundingClientRect();
    if (top >= edge.bottom) break;
    if (bottom > edge.top + 8) spots.push({ id: node.dataset["id"] ?? "", top: top - edge.top });
  }
  const [first, second] = spots;
  if (first && second && first.top < 0 && second.top < edge.height / 2) spots.splice(0, 2, second, first);
  return spots;
}
