// Whom the page knows by name: people of conversations, and senders in groups.
import { signal } from "@preact/signals";
import type { User } from "../../client/index";
import { mayPass } from "../../kit/passing";
import { client, session } from "../../kit/state/session";
import { shortName } from "./names";

export type Person = Pick<User, "token" | "display_name" | "avatar"> & Partial<User>;

export const people = signal<ReadonlyMap<string, Person>>(new Map());

/** know takes over what is said of people. */
export function know(some: readonly Person[]): void {
  if (some.length === 0) return;
  const all = new Map(people.value);
  for (const person of some) all.set(person.token, { ...all.get(person.token), ...person });
  people.value = all;
}

/** Who was asked for, and when that has been answered. */
const asked = new Map<string, Promise<void>>();

/** need has a person looked up who is not known, once. */
export function need(token: string, organization: string): void {
  void lookUp(token, organization);
}

/** lookUp waits until a person is known, or it is known that nobody says who that is. */
export function lookUp(token: string, organization: string): Promise<void> {
  if (people.value.has(token)) return Promise.resolve();
  const answer = asked.get(token) ?? client.getUser(token, { organization }).then(
    (user) => know([user]),
    (error: unknown) => {
      if (mayPass(error)) asked.delete(token);
    },
  );
  asked.set(token, answer);
  return answer;
}

const groups = new Set<string>(); // whose members were asked for

/** needMembers looks up the members of a group, once. */
export function needMembers(group: string, organization: string): void {
  if (groups.has(group)) return;
  groups.add(group);
  client.getGroupMembers(group, { organization }).then(know, (error: unknown) => {
    if (mayPass(error)) groups.delete(group); // a group that one has left answers nothing
  });
}

/** shortNameOf is what a person is called where there is little room. */
export function shortNameOf(token: string): string | undefined {
  const name = nameOf(token);
  return name && shortName(name);
}

/** nameOf is what a person is called; undefined while it is not known. */
export function nameOf(token: string): string | undefined {
  const { account } = session.value ?? {};
  return token === account?.token ? account.display_name : people.value.get(token)?.display_name;
}
