import type { Schemas } from "../client/index";

/** What each page of an organization gets. */
export interface OfOrganization {
  organization: Schemas["Organization"];
  /** Its name, settings or hold have changed. */
  onChange: () => void;
}
