// The parts of the console whose script comes behind the page's own: its other pages (behind.ts), which nobody waits for
// again, and what few people need, when it is needed.
import { later } from "../kit/later";

const load = () => import("./behind");

/** prepare has the pages come when the first is there, before anybody goes to them. */
export function prepare(): void {
  const get = () => void load().catch(() => undefined); // asked for again when it is needed
  if (document.readyState === "complete") get();
  else addEventListener("load", get);
}

export const Audit = later(async () => (await load()).Audit);
export const Escalations = later(async () => (await load()).Escalations);
export const FirstStart = later(async () => (await load()).FirstStart);
export const Group = later(async () => (await load()).Group);
export const Groups = later(async () => (await load()).Groups);
export const Identity = later(async () => (await load()).Identity);
export const Keys = later(async () => (await load()).Keys);
export const NoAccess = later(async () => (await load()).NoAccess);
export const OrganizationSettings = later(async () => (await load()).OrganizationSettings);
export const Organizations = later(async () => (await load()).Organizations);
export const People = later(async () => (await load()).People);
export const Person = later(async () => (await load()).Person);
export const Requests = later(async () => (await load()).Requests);
export const SecondFactor = later(async () => (await import("../kit/SecondFactor")).SecondFactor);
export const Settings = later(async () => (await load()).Settings);
export const Stuck = later(async () => (await load()).Stuck);
export const Whereabouts = later(async () => (await load()).Whereabouts);
