// What of a session is kept on the device, besides the session itself: it ends with it.

const drafts = "signet-draft";

/** draftsOf begins the names under which the drafts of an account are kept. */
export function draftsOf(account: string): string {
  return `${drafts} ${account} `;
}

/** forgetDrafts removes all drafts, or all but those of an account. */
export function forgetDrafts(but?: string): void {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${drafts} `) && (but === undefined || !name.startsWith(draftsOf(but)))) localStorage.removeItem(name);
  }
}
