// The organizations of the account, and their rules for messages.
import { computed, signal } from "@preact/signals";
import type { Organization } from "../../client/index";
import { client } from "../../kit/state/session";

/** By token. */
export const organizations = signal<ReadonlyMap<string, Organization>>(new Map());

/** In the order of their names. */
export const byName = computed(() =>
  [...organizations.value.values()].sort((a, b) => a.name.localeCompare(b.name)),
);

/** named is what an organization is called, where one is in several; else there is nothing to tell apart. */
export function named(token: string): string | undefined {
  return organizations.value.size > 1 ? organizations.value.get(token)?.name : undefined;
}

/** namesAreFixed tells whether an organization leaves names to its administrators. */
export const namesAreFixed = computed(() =>
  [...organizations.value.values()].some(({ settings }) =>
    settings.some(({ name, value }) => name === "display_names" && value === "administrators"),
  ),
);

/** loadOrganizations fetches them anew. */
export async function loadOrganizations(): Promise<void> {
  const all = await client.getUserOrganizations("me");
  organizations.value = new Map(all.map((organization) => [organization.token, organization]));
}

/** What an organization allows and prescribes. */
export interface Rules {
  /** Minutes that a message lasts which names no lifetime; -1 is for ever. */
  ttl: number;
  /** The longest lifetime, in minutes. */
  longest: number;
  dor: boolean;
  forward: boolean;
  priority: boolean;
  attachments: boolean;
}

/** rulesOf returns an organization's rules; what is usual, while they are not known. */
export function rulesOf(token: string): Rules {
  const organization = organizations.value.get(token);
  const set = new Map(organization?.settings.map(({ name, value }) => [name, value]));
  const longest = Number(set.get("max_ttl") ?? -1);
  return {
    ttl: organization?.ttl ?? 43_200,
    longest: longest > 0 ? longest : Infinity,
    dor: organization?.dor ?? false,
    forward: set.get("forward") !== false,
    priority: set.get("priority_messaging") !== false,
    attachments: set.get("attachments") !== false,
  };
}
