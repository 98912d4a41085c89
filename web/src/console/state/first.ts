// The first start: the link that a server prints for it (/console#first=SECRET), and how far it has come.
import { client, resume, session } from "../../kit/state/session";

/** signInByLink signs the operator in whom the link has led here. It is false where the address has none. */
export async function signInByLink(): Promise<boolean> {
  const secret = /^#first=(.+)$/.exec(location.hash)?.[1];
  if (!secret) return false;
  history.replaceState(null, "", location.pathname + location.search); // it is good only once
  await client.startSession({ first_start: secret });
  await resume();
  return true;
}

/** Somebody with an account, as far as it takes to write to, and to sign in. */
export interface Newcomer {
  token: string;
  display_name: string;
  username: string;
  /** Known to the page that has just set it, and kept nowhere. */
  password?: string;
}

/** What there is already, wherever it was made: the first start goes on from there. */
export interface Found {
  /** One's own, first one that has people in it, or else the first by name. */
  organization: { token: string; name: string; isMember: boolean } | undefined;
  /** How many are in it besides oneself, and some of them. */
  people: number;
  some: readonly Newcomer[];
}

/** Who is named; of others there is the number. */
const named = 3;

/** find asks how far the first start has come. */
export async function find(): Promise<Found> {
  const { results } = await client.listOrganizations({ page_size: 200 });
  const own = session.value?.administrator_of ?? []; // whoever makes one is a member and an administrator
  const mine = results.filter(({ token }) => own.includes(token));
  const found = mine.find(({ members }) => members > 1) ?? mine[0] ?? results[0];
  if (!found) return { organization: undefined, people: 0, some: [] };
  const isMember = own.includes(found.token);
  const { results: members } = await client.listMembers(found.token, { page_size: named + 1 });
  return {
    organization: { token: found.token, name: found.name, isMember },
    people: found.members - (isMember ? 1 : 0),
    some: members.filter(({ token }) => token !== session.value?.account.token).slice(0, named),
  };
}

/** How far the first message has come: not written yet, Sent (New), Delivered, Read, or answered. */
export type Sign = "none" | "New" | "Delivered" | "Read" | "answered";

/** signOf looks how far the newest message to somebody has come. By the clock (elevate: false) it asks nobody for a password. */
export async function signOf(organization: string, person: string, elevate: boolean): Promise<Sign> {
  const { results } = await client.in(organization).getHistory(person, { limit: 20, elevate });
  const own = results.find((message) => message.sender_token !== person);
  if (!own) return "none";
  return results.some((message) => message.sender_token === person) ? "answered" : (own.status ?? "New");
}
