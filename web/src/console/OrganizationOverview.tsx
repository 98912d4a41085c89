import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Icon } from "../kit/Icon";
import { later } from "../kit/later";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { go, path, query } from "../kit/state/route";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { text } from "../text/text";
import { NextSteps } from "./NextSteps";
import { stored } from "./OrganizationCards";
import { Segments } from "./Segments";
import { ofOrganization } from "./state/figures";
import { type Figures, sum, valuesOf } from "./state/history";
import { chosen, type Days, days } from "./state/ranges";
import type { OfOrganization } from "./tab";

const Measures = later(async () => (await import("./plots")).Measures);

/** After how many minutes a queue that nobody reads is told here. */
const unreadFor = 60;
/** How many of a list stand here. */
const some = 5;

/** OrganizationOverview is how an organization does: its figures, what needs attention, and who waits. */
export function OrganizationOverview({ organization }: OfOrganization) {
  const { token } = organization;
  const range = chosen(query.value, days, "month");
  const { value: history, ...curves } = useLoaded(() => ofOrganization(token, days[range]), [token, range]);
  const { value: now, ...asked } = useLoaded(() => ask(organization), [token]);
  const shown = useRef<Figures | undefined>(undefined); // what is there stays until what was asked for has come
  const figures = (shown.current = history ?? shown.current);
  const all = [asked, curves];
  const problem = all.find((one) => one.problem !== "")?.problem;
  const fresh = figures && now && sum(valuesOf(figures, "sent")) === 0 && (now.listed?.usage?.messages ?? 0) === 0;
  const members = now?.listed?.members ?? organization.members;
  return (
    <>
      {problem && (
        <p role="alert" class="problem">
          {problem}{" "}
          <button type="button" onClick={() => all.forEach((one) => one.problem && one.reload())}>{text("tryAgain")}</button>
        </p>
      )}
      {now && (
        <p class="headline-of">
          <Link to={`/console/organizations/${token}/people`}>{text("people", { n: members })}</Link>
          {now.listed && (
            <>
              {" · "}
              <Link to={`/console/organizations/${token}/groups`}>{text("console.nGroups", { n: now.listed.groups })}</Link>
              {now.listed.usage && <> · {stored(now.listed.usage)}</>}
            </>
          )}
        </p>
      )}
      {!problem && !(figures && now) && <p class="empty wait">{text("loading")}</p>}
      {fresh && <NextSteps organization={token} members={members} />}
      {figures && now && !fresh && (
        <>
          <header class="head">
            <h2>{text("console.curves")}</h2>
            <Segments<Days>
              label={text("console.range")}
              value={range}
              onChange={(one) => go(`${path.value}?range=${one}`, { replace: true })}
              options={{ month: text("console.rangeMonth"), year: text("console.rangeYear") }}
            />
          </header>
          <div aria-busy={!history}>
            <Measures figures={figures} members={members} />
          </div>
        </>
      )}
      {now && !(fresh && now.requests.length + now.queues.length === 0) && <Attention token={token} {...now} />}
    </>
  );
}

interface Now {
  listed: Schemas["ListedOrganization"] | undefined;
  requests: readonly Schemas["Request"][];
  queues: readonly Schemas["Queue"][];
}

/** ask asks for what is so at this moment. */
async function ask({ token, name }: OfOrganization["organization"]): Promise<Now> {
  const [listed, requests, queues] = await Promise.all([
    client.listOrganizations({ name, render_usage: true }),
    client.listRequests(token, { page_size: some + 1 }),
    client.listQueues(token, { older_than: unreadFor, page_size: some + 1 }),
  ]);
  return { listed: listed.results.find((one) => one.token === token), requests: requests.results, queues: queues.results };
}

/** Attention has what an administrator should look at, or says that there is nothing. */
function Attention({ token, requests, queues }: Now & { token: string }) {
  const base = `/console/organizations/${token}`;
  if (requests.length + queues.length === 0) {
    return (
      <p class="calm">
        <Icon name="check" />
        <span>{text("console.nothingToDo")}</span>
      </p>
    );
  }
  return (
    <>
      <h2>{text("console.attention")}</h2>
      <div class="attention">
        {requests.length > 0 && (
          <Some title={text("console.requests")} to={`${base}/requests`} more={requests.length > some}>
            {requests.slice(0, some).map(({ kind, account }) => (
              <li key={kind + account.token}>
                <Link to={`${base}/requests`}><bdi>{account.display_name}</bdi></Link>
                <small>{text(kind === "admin" ? "console.asksAdmin" : "console.asksJoin")}</small>
              </li>
            ))}
          </Some>
        )}
        {queues.length > 0 && (
          <Some title={text("console.unreadForHour")} to={`${base}/stuck`} more={queues.length > some}>
            {queues.slice(0, some).map((queue) => (
              <li key={queue.account_id}>
                <Link to={`${base}/people/${queue.account_id}`}><bdi>{queue.display_name}</bdi></Link>
                <small>{text("console.nEvents", { n: queue.depth })} · <Moment at={queue.oldest_event_time} /></small>
              </li>
            ))}
          </Some>
        )}
      </div>
    </>
  );
}

/** Some is the beginning of a list, which leads to all of it. */
function Some(props: { title: string; to: string; more: boolean; children: ComponentChildren }) {
  return (
    <section class="some" aria-label={props.title}>
      <h3>{props.title}</h3>
      <ul>{props.children}</ul>
      {props.more && <Link to={props.to}>{text("console.showAll")}</Link>}
    </section>
  );
}
