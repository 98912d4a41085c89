import { session } from "../kit/state/session";
import { text } from "../text/text";
import { Installation } from "./Installation";
import { Organization } from "./Organization";
import { OrganizationCards } from "./OrganizationCards";

/**
 * Overview is how the installation does, for operators; for administrators how their organizations do. Whoever administers
 * one organization alone is there at once.
 */
export function Overview() {
  const { operator = false, administrator_of: own = [] } = session.value ?? {};
  const [only, ...others] = own;
  if (!operator && only !== undefined && others.length === 0) return <Organization token={only} tab="overview" one={undefined} />;
  return (
    <>
      {operator ? <Installation /> : <h1>{text("console.overview")}</h1>}
      <OrganizationCards />
    </>
  );
}
