import type { Schemas } from "../client/index";
import { mostCounted } from "../kit/limits";
import { Link } from "../kit/Link";
import { client } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { count, size } from "../text/format";
import { text } from "../text/text";
import { Spark } from "./Spark";
import { ofOrganization } from "./state/figures";
import { sum, valuesOf } from "./state/history";
import { days } from "./state/ranges";

/** stored says how much an organization has. */
export function stored({ messages, attachments, attachment_bytes }: Schemas["OrganizationUsage"]): string {
  const more = (n: number) => `${count(n)}${n < mostCounted ? "" : "+"}`;
  return [
    text("console.nMessages", { n: messages, count: more(messages) }),
    text("console.nAttachments", { n: attachments, count: more(attachments), size: size(attachment_bytes) }),
  ].join(" · ");
}

/** OrganizationCards leads to each organization that one administers. */
export function OrganizationCards() {
  const { value, problem } = useLoaded(() => client.listOrganizations({ page_size: 12, render_usage: true }), []);
  if (problem) return <p role="alert" class="problem">{problem}</p>;
  if (!value) return null;
  if (value.results.length === 0) {
    return (
      <div class="empty">
        <p>{text("console.nobodyYet")}</p>
        <p><Link to="/console/start" class="button">{text("console.setUp")}</Link></p>
      </div>
    );
  }
  return (
    <>
      <h2>{text("console.organizations")}</h2>
      <ul class="cards">
        {value.results.map((one) => (
          <li key={one.token}>
            <Link to={`/console/organizations/${one.token}/overview`}>
              <strong dir="auto">{one.name}</strong>
              <small>
                {text("people", { n: one.members })} · {text("console.nGroups", { n: one.groups })}
                {one.requests > 0 && <em> · {text("console.nRequests", { n: one.requests })}</em>}
              </small>
              {one.usage && <small>{stored(one.usage)}</small>}
              <Lately organization={one.token} />
            </Link>
          </li>
        ))}
      </ul>
      {value.metadata.continuation && <p class="more"><Link to="/console/organizations">{text("console.showAll")}</Link></p>}
    </>
  );
}

/** Lately is how many messages were sent in the last days, as a small curve and in words. */
function Lately({ organization }: { organization: string }) {
  const { value: figures, problem } = useLoaded(() => ofOrganization(organization, days.month, ["sent"]), [organization]);
  if (problem) return <small>{problem}</small>;
  const sent = figures && valuesOf(figures, "sent");
  const all = sent ? sum(sent) : 0;
  return (
    <>
      <small>{sent && all === 0 ? text("console.quietLately") : sent ? text("console.sentLately", { n: all }) : text("loading")}</small>
      {all > 0 && <Spark values={sent ?? []} />}
    </>
  );
}
