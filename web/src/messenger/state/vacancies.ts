// Groups for which nobody is on duty: whoever made one, and administrators, are told when that begins.
import { signal } from "@preact/signals";
import type { EventPayload } from "../../client/index";
import { client } from "../../kit/state/session";
import { conversations } from "./conversations";
import { keyOf } from "./key";

/** A group for which nobody is on duty. */
export interface Vacancy {
  readonly group: string;
  readonly organization: string;
  /** Undefined where one may not see the group in the messenger. */
  readonly name: string | undefined;
}

/** The groups that events told of, until the person closes the notice. */
export const vacancies = signal<readonly Vacancy[]>([]);

/** noteVacancy takes over that nobody is on duty. */
export async function noteVacancy(request: EventPayload<"admin_request">): Promise<void> {
  const { group_token: group, organization_id: organization } = request;
  if (group === undefined) return;
  const known = conversations.value.get(keyOf(organization, group))?.entity.display_name;
  const asked = () => client.in(organization).getGroup(group).then(({ display_name }) => display_name, () => undefined);
  const name = known ?? (await asked());
  dismiss(group);
  vacancies.value = [...vacancies.value, { group, organization, name }];
}

/** dismiss ends the notice of a group. */
export function dismiss(group: string): void {
  vacancies.value = vacancies.value.filter((one) => one.group !== group);
}
