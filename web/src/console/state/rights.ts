// What the caller may do, as its session says: asked before a call is made that would be refused.
import { offline, resume, session } from "../../kit/state/session";

/** administers tells whether the caller may administer an organization; without one, the installation. */
export function administers(organization: string | undefined): boolean {
  const who = session.value;
  if (!who) return false;
  return who.operator || (organization !== undefined && who.administrator_of.includes(organization));
}

/** mayAdminister is administers, and looks once more where the page knows of no right: it may be new. */
export async function mayAdminister(organization: string): Promise<boolean> {
  if (!administers(organization)) await resume();
  return administers(organization) || offline.value; // without a connection the call itself will say so
}
