// The server that the Go test started, and people on it.
import { Client, type Credentials } from "#client";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: clienttest_test.go runs this`);
  return value;
}

export const baseURL = setting("CLIENT_TEST_URL");
export const operator = new Client({
  baseURL,
  credentials: JSON.parse(setting("CLIENT_TEST_OPERATOR")) as Credentials,
});

/** Person is an account with a key. */
export interface Person {
  client: Client;
  token: string;
  credentials: Credentials;
}

/** hospital makes an organization, and people in it. */
export async function hospital<N extends string>(...names: N[]): Promise<Record<N, Person> & { organization: string }> {
  const organization = await operator.createOrganization({ name: "General Hospital" });
  const people = {} as Record<N, Person>;
  for (const name of names) {
    const username = `${name}-${organization}`;
    const made = await operator.in(organization).createUser({ username, display_name: name, issue_key: true });
    const credentials = { key: made.api_key ?? "", secret: made.api_secret ?? "" };
    people[name] = { client: new Client({ baseURL, credentials }), token: made.token, credentials };
  }
  return { ...people, organization };
}
