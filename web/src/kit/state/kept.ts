// Of a session, what the device keeps besides the session itself. It ends with the session.

const drafts = "signet-draft";
const whose = "signet-account";

/** Where the messenger keeps what a tab has not sent. */
export const unsent = "signet-outbox";

/** draftsOf begins the names under which the drafts of an account are kept. */
export function draftsOf(account: string): string {
  return `${drafts} ${account} `;
}

/** keepOnly removes all that is not an account's, whose session it is from now on; undefined: nobody's. */
export function keepOnly(account?: string): void {
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${drafts} `) && !(account && name.startsWith(draftsOf(account)))) localStorage.removeItem(name);
  }
  if (account !== undefined) return localStorage.setItem(whose, account);
  localStorage.removeItem(whose);
  sessionStorage.removeItem(unsent);
}

/** owner is the account whose session it is, as the tab knows that changed it last. */
export function owner(): string | undefined {
  return localStorage.getItem(whose) ?? undefined;
}
