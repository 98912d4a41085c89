// The escalation policies of organizations, as far as somebody is about to choose one.
import { signal } from "@preact/signals";
import { client } from "../../kit/state/session";

/** The names of the policies, by organization. */
export const policies = signal<ReadonlyMap<string, readonly string[]>>(new Map());

const asked = new Set<string>();

/** needPolicies has those of an organization fetched, once. */
export function needPolicies(organization: string): void {
  if (asked.has(organization)) return;
  asked.add(organization);
  client.listEscalationPolicies(organization).then(
    (all) => void (policies.value = new Map(policies.value).set(organization, all.map(({ name }) => name))),
    () => void asked.delete(organization), // asked for again with the next urgent message
  );
}
