// People and groups as fields and lists name them, and where they are found.
import type { Schemas } from "../../client/index";
import { client } from "../../kit/state/session";
import { language, text } from "../../text/text";

/** A person, or a group. */
export interface Named {
  readonly token: string;
  readonly name: string;
  /** What tells it apart from others of its name. */
  readonly more: string;
  /** It is not in the organization any more: then nothing else is known of it. */
  readonly gone?: true;
}

type Person = Pick<Schemas["UserEntity"], "token" | "display_name" | "username" | "title" | "department">;

/** personOf is a person as it is named. */
export function personOf({ token, display_name: name, username, title, department }: Person): Named {
  return { token, name, more: [title, department, username].filter(Boolean).join(" · ") };
}

function groupOf({ token, name, num_members: n }: Pick<Schemas["ListedGroup"], "token" | "name" | "num_members">): Named {
  return { token, name, more: text("people", { n }) };
}

/** said is what stands in the place of a name; with what tells it apart, where others that are named have the same. */
export function said({ token, name, more, gone }: Named, among: readonly Named[] = []): string {
  if (gone) return text("console.nobodyKnown");
  const alike = among.some((other) => other.name === name && other.token !== token);
  return alike && more ? `${name} (${more})` : name;
}

/** listed are the names of some, as a part of a sentence. */
export function listed(some: readonly Named[], among: readonly Named[]): string {
  const names = some.map((one) => said(one, among));
  return new Intl.ListFormat(language.value, { type: "conjunction" }).format(names);
}

const most = 8; // of people, and of groups, who are offered: one types more of a name to see others

/** findPeople finds members of an organization by the beginnings of words. */
export async function findPeople(organization: string, q: string, signal: AbortSignal, disabled?: false): Promise<Named[]> {
  const { results } = await client.listMembers(organization, {
    q, page_size: most, signal, ...(disabled !== undefined && { disabled }),
  });
  return results.map(personOf);
}

/** findRecipients finds members and groups of an organization, to whom something may be sent. */
export async function findRecipients(organization: string, q: string, signal: AbortSignal): Promise<Named[]> {
  const [people, { results: groups }] = await Promise.all([
    findPeople(organization, q, signal, false), client.listGroups(organization, { q, page_size: most, signal }),
  ]);
  return [...people, ...groups.map(groupOf)];
}

const together = 8; // calls at a time

/** namesOf finds the names of people, and of groups where there may be some, by their tokens. */
export async function namesOf(
  organization: string, tokens: readonly string[], { groups }: { groups: boolean },
): Promise<ReadonlyMap<string, Named>> {
  const names = new Map<string, Named>();
  const asked = [...new Set(tokens)].filter((token) => token !== "");
  for (let i = 0; i < asked.length; i += together) {
    const some = asked.slice(i, i + together).map((account) => client.listMembers(organization, { account }));
    for (const { results } of await Promise.all(some)) for (const one of results) names.set(one.token, personOf(one));
  }
  let continuation: string | undefined;
  let more = groups;
  while (more && asked.some((token) => !names.has(token))) {
    const page = await client.listGroups(organization, { page_size: 200, ...(continuation && { continuation }) });
    for (const one of page.results) names.set(one.token, groupOf(one));
    continuation = page.metadata.continuation;
    more = continuation !== undefined;
  }
  return names;
}

/** nameIn is what a token names. */
export function nameIn(names: ReadonlyMap<string, Named>, token: string): Named {
  return names.get(token) ?? { token, name: "", more: "", gone: true };
}
