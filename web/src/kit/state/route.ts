// The address of what the page shows: every view has one.
import { signal } from "@preact/signals";

/** What the address has after the host. */
export const path = signal(location.pathname);
export const query = signal(new URLSearchParams(location.search));
/** The place within a page, with its `#`. */
export const hash = signal(location.hash);

function take(): void {
  path.value = location.pathname;
  query.value = new URLSearchParams(location.search);
  hash.value = location.hash;
}
addEventListener("popstate", take);
addEventListener("hashchange", take); // a plain link to a place

/** go shows what is at an address, which Back leaves again, unless it takes the place of this one. */
export function go(address: string, options: { replace?: boolean } = {}): void {
  if (options.replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  take();
}
