// The escalation policies of organizations, as far as somebody is about to choose one.
import { signal } from "@preact/signals";
import { client } from "../../kit/state/session";

/** The names of the policies, by organization. */
export const policies = signal<ReadonlyMap<string, readonly string[]>>(new Map());

const asked = new Set<string>();

/** loadPolicies fetches those of an organization, which administrators change at any time. */
export function loadPolicies(organization: string): void {
  if (asked.has(organization)) return;
  asked.add(organization);
  client.listEscalationPolicies(organization).then(
    (all) => void (policies.value = new Map(policies.value).set(organization, all.map(({ name }) => name))),
    () => undefined, // asked for again with the next urgent message
  ).finally(() => asked.delete(organization));
}
