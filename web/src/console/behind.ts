// The pages that are not seen at first, in one file of script: it comes behind the overview and what is around it.
export { Audit } from "./Audit";
export { Escalations } from "./Escalations";
export { FirstStart } from "./FirstStart";
export { Group } from "./Group";
export { Groups } from "./Groups";
export { Identity } from "./Identity";
export { Keys } from "./Keys";
export { NoAccess } from "./NoAccess";
export { OrganizationSettings } from "./OrganizationSettings";
export { Organizations } from "./Organizations";
export { People } from "./People";
export { Person } from "./Person";
export { Requests } from "./Requests";
export { Settings } from "./Settings";
export { Stuck } from "./Stuck";
export { Whereabouts } from "./Whereabouts";
