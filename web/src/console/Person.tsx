import type { Schemas } from "../client/index";
import { Avatar } from "../kit/Avatar";
import { Moment } from "../kit/Moment";
import { client, session } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { Devices } from "./Devices";
import type { Key } from "./keyColumns";
import { LastSeen } from "./LastSeen";
import { PersonActs } from "./PersonActs";
import { PersonKeys } from "./PersonKeys";
import { PersonPasskeys } from "./PersonPasskeys";
import { PersonWebhooks } from "./PersonWebhooks";

/** Person shows a member of an organization, and what its administrators do with the account. */
export function Person({ organization, token }: { organization: Schemas["Organization"]; token: string }) {
  const org = organization.token;
  const { value, problem, reload } = useLoaded(async () => {
    const [{ results }, places, keys, own] = await Promise.all([
      client.listMembers(org, { account: token }), client.getUserOrganizations(token), keysOf(org, token), ownOrganizations(),
    ]);
    return { person: results[0], places, keys, own };
  }, [org, token]);
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value) return <p class="empty wait">{text("loading")}</p>;
  const { person, places, keys, own } = value;
  if (!person) return <p role="alert" class="problem">{text("console.noMember")}</p>;
  const operator = session.value?.operator ?? false;
  const seesAddresses = own === undefined || places.some((place) => own.includes(place.token));
  const unseen = seesAddresses ? "–" : text("console.unseen");
  return (
    <article class="profile">
      <header>
        <Avatar name={person.display_name} token={person.token} picture={person.avatar} />
        <div>
          <h2 dir="auto">{person.display_name}</h2>
          <p class="muted" dir="auto">{[person.title, person.department].filter(Boolean).join(" · ")}</p>
          {person.disabled && <em class="tag danger">{text("console.disabled")}</em>}
          {person.directory && <em class="tag">{text("console.directory")}</em>}
          {person.roles.includes("admin") && <em class="tag">{text("console.admin")}</em>}
          {person.pending_roles.includes("admin") && <em class="tag">{text("console.asksAdmin")}</em>}
          <span class="muted">
            {person.last_seen_time ? (
              <>{text("console.lastSeen")} <LastSeen at={person.last_seen_time} /></>
            ) : (
              text("console.queueNever")
            )}
          </span>
        </div>
      </header>
      {person.directory && <p class="muted">{text("console.directoryKeepsPerson", { name: person.directory })}</p>}
      <PersonActs organization={org} of={person} seesAddresses={seesAddresses} onChange={reload} />
      <dl class="facts">
        <dt>{text("console.username")}</dt><dd dir="auto">{person.username || "–"}</dd>
        <dt>{text("console.email")}</dt><dd dir="auto">{person.emails.map(({ address }) => address).join(", ") || unseen}</dd>
        <dt>{text("console.phone")}</dt><dd>{person.phones.map(({ number }) => number).join(", ") || unseen}</dd>
        <dt>{text("console.memberships")}</dt><dd dir="auto">{places.map(({ name }) => name).join(", ")}</dd>
        <dt>{text("console.made")}</dt><dd><Moment at={person.created_time} /></dd>
        <dt>{text("console.token")}</dt><dd><code>{person.token}</code></dd>
      </dl>
      <Devices account={token} name={person.display_name} keys={keys} onChange={reload} />
      <PersonPasskeys
        account={token} name={person.display_name}
        mayAllow={token !== session.value?.account.token && (operator || person.managed === true)}
      />
      <PersonKeys
        organization={organization} account={token} keys={keys} onChange={reload}
        mayCreate={!operator || person.managed === true}
      />
      <PersonWebhooks organization={organization} account={token} mayCreate={!operator || person.managed === true} />
    </article>
  );
}

/** keysOf are the keys of an account that act in an organization: some hundreds at most. */
async function keysOf(organization: string, account: string): Promise<Key[]> {
  const keys: Key[] = [];
  let continuation: string | undefined;
  do {
    const page = await client.listOrganizationKeys(organization, { account, page_size: 200, ...(continuation && { continuation }) });
    keys.push(...page.results);
    continuation = page.metadata.continuation;
  } while (continuation);
  return keys;
}

/** ownOrganizations are those of an operator, who sees addresses only of people in one of them; undefined: all are seen. */
async function ownOrganizations(): Promise<string[] | undefined> {
  if (!session.value?.operator) return undefined;
  return (await client.getUserOrganizations("me")).map(({ token }) => token);
}
