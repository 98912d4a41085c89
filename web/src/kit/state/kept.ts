// Of a session, what the device keeps besides the session itself. It ends with the session.

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

/** keepsDrafts tells whether words of an account are kept that were not sent. */
export function keepsDrafts(account: string): boolean {
  const at = draftsOf(account);
  return Object.keys(localStorage).some((name) => {
    const { body } = name.startsWith(at) ? (JSON.parse(localStorage.getItem(name) ?? "{}") as { body?: string }) : {};
    return body !== undefined && body.trim() !== "";
  });
}
