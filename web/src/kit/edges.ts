// Boxes that scroll sideways, and show where they go on: nothing is cut without a sign.

/**
 * edges has a box say for its style whether what it holds is wider (data-over), and whether that goes on before or after
 * what is seen (data-before, data-after). It is the ref of the box.
 */
export function edges(box: HTMLElement | null): (() => void) | undefined {
  if (!box) return undefined;
  const look = () => {
    const hidden = box.scrollWidth - box.clientWidth;
    const at = Math.abs(box.scrollLeft); // negative where the words run the other way
    box.toggleAttribute("data-over", hidden > 1);
    box.toggleAttribute("data-before", at > 1);
    box.toggleAttribute("data-after", hidden - at > 1);
  };
  const sizes = new ResizeObserver(look);
  sizes.observe(box);
  for (const one of box.children) sizes.observe(one);
  box.addEventListener("scroll", look, { passive: true });
  return () => {
    sizes.disconnect();
    box.removeEventListener("scroll", look);
  };
}
