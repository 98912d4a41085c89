import type { ComponentChildren } from "preact";
import { Link } from "../kit/Link";

/** addressOf is where the console shows a person: in an organization, or in one that is still to be found. */
export function addressOf(account: string, organization: string | undefined): string {
  return organization ? `/console/organizations/${organization}/people/${account}` : `/console/people/${account}`;
}

/** PersonLink leads to a person. */
export function PersonLink(props: { account: string; organization: string | undefined; children: ComponentChildren }) {
  return <Link to={addressOf(props.account, props.organization)}><bdi>{props.children}</bdi></Link>;
}
