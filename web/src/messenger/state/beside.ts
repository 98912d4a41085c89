// What stands beside a name, so that two people of one name are told apart.
import { computed } from "@preact/signals";
import type { User } from "../../client/index";
import { people } from "./people";

/** What is known of somebody. */
export type Named = Pick<User, "token" | "display_name"> & Partial<Pick<User, "username" | "title" | "department">>;

/** postOf is a person's title and department. */
function postOf({ title, department }: Named): string {
  return [title, department].filter(Boolean).join(" · ");
}

/** alike brings what is said of somebody into a form in which two that a reader takes for the same are one. */
function alike(person: Named): string {
  const plain = `${person.display_name}\n${postOf(person)}`.normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.toLowerCase().replace(/[^\S\n]+/gu, " ").trim();
}

/** doubles are those names with their posts that more than one person has. */
function doubles(some: Iterable<Named>): ReadonlySet<string> {
  const once = new Map<string, string>();
  const more = new Set<string>();
  for (const person of some) {
    const name = alike(person);
    const other = once.get(name);
    if (other !== undefined && other !== person.token) more.add(name);
    else once.set(name, person.token);
  }
  return more;
}

const known = computed(() => doubles(people.value.values()));

function told(person: Named, same: boolean): string {
  const post = postOf(person);
  return [post, (same || post === "") && person.username].filter(Boolean).join(" · ");
}

/**
 * besideOf is what stands beside a person's name: title and department; the user name where there is neither, or where
 * somebody else who is known has all of it too.
 */
export function besideOf(person: Named): string {
  return told(person, known.value.has(alike(person)));
}

/** besides does the same for a list, of whose people the page may not know otherwise. */
export function besides(list: readonly Named[]): (person: Named) => string {
  const same = doubles(list);
  return (person) => told(person, same.has(alike(person)) || known.value.has(alike(person)));
}
