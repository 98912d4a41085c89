import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Icon } from "../kit/Icon";
import { mostCounted } from "../kit/limits";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { client, session } from "../kit/state/session";
import { useLoaded } from "../kit/useLoaded";
import { count, size, span } from "../text/format";
import { text } from "../text/text";

type Status = Schemas["InstallationStatus"];

/** How often the overview is asked for anew, in milliseconds. */
const often = 10_000;

/** Overview is how the installation does, for operators; for administrators how their organizations do. */
export function Overview() {
  return (
    <>
      <h1>{text("console.overview")}</h1>
      {session.value?.operator && <Installation />}
      <OrganizationCards />
    </>
  );
}

function Installation() {
  const byClock = useRef(false); // nobody is asked for a password then
  const { value: status, problem, reload } = useLoaded(() => client.getStatus({ elevate: !byClock.current }), []);
  const failed = useRef(false);
  failed.current = problem !== "";
  const before = useRef<Status | undefined>(undefined);
  const rate = useRef<number | undefined>(undefined);
  useEffect(() => {
    const look = () => {
      if (document.visibilityState !== "visible" || failed.current) return;
      byClock.current = true;
      reload();
    };
    const timer = setInterval(look, often);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, []);
  if (status && status !== before.current) {
    const last = before.current;
    const seconds = last ? (Date.parse(status.time) - Date.parse(last.time)) / 1000 : 0;
    // Behind a balancer another server may answer, which counts for itself.
    if (last && seconds > 0 && last.server.started_time === status.server.started_time) {
      rate.current = ((status.server.messages.sent - last.server.messages.sent) / seconds) * 60;
    }
    before.current = status;
  }
  const refused = problem && (
    <p role="alert" class="problem">
      {problem}{" "}
      <button
        type="button"
        onClick={() => {
          byClock.current = false;
          reload();
        }}
      >
        {text("tryAgain")}
      </button>
    </p>
  );
  if (!status) return refused || <p class="empty">{text("loading")}</p>;
  const { server, queues, backup, sweep, storage } = status;
  const now = Date.parse(status.time);
  const ago = (time: string) => text("console.ago", { span: span((now - Date.parse(time)) / 1000) });
  return (
    <>
      {refused}
      {server.warnings.length > 0 && (
        <ul class="warnings" aria-label={text("console.warnings")}>
          {server.warnings.map((warning) => (
            <li key={warning.topic + warning.text} lang="en">
              <Icon name="warning" />
              <strong>{warning.topic}</strong> {warning.text}
            </li>
          ))}
        </ul>
      )}
      <dl class="figures">
        <Figure title={text("console.ready")} bad={!server.ready} more={server.reason ?? text("console.upFor", { span: span(server.uptime) })}>
          {text(server.ready ? "console.yes" : "console.no")}
        </Figure>
        <Figure title={text("console.sent")} more={rate.current === undefined ? text("console.sinceStart") : text("console.aMinute", { n: Math.round(rate.current) })}>
          {count(server.messages.sent)}
        </Figure>
        <Figure title={text("console.streams")} more={text("console.openNow")}>{count(server.streams)}</Figure>
        <Figure
          title={text("console.queues")}
          bad={(queues?.behind_by_age ?? 0) > 0}
          more={queues?.oldest_event_time ? text("console.oldest", { time: ago(queues.oldest_event_time) }) : ""}
        >
          {count(queues?.events ?? 0)}
        </Figure>
        <Figure
          title={text("console.storage")}
          more={server.free_bytes.data === undefined ? "" : text("console.free", { size: size(server.free_bytes.data) })}
        >
          {storage.database_bytes === undefined ? "PostgreSQL" : size(storage.database_bytes + (storage.log_bytes ?? 0))}
        </Figure>
        <Figure title={text("console.sweep")} more={sweep.oldest_time ? text("console.oldest", { time: ago(sweep.oldest_time) }) : ""}>
          {count(sweep.waiting)}
        </Figure>
        <Figure
          title={text("console.backup")}
          bad={Boolean(backup?.failed_time)}
          more={backup?.bytes === undefined ? "" : size(backup.bytes)}
        >
          {backup?.succeeded_time ? ago(backup.succeeded_time) : text("console.never")}
        </Figure>
        <Figure title={text("console.certificate")}>
          <Moment at={server.certificate_ends_time} none={text("console.none")} />
        </Figure>
      </dl>
      <h2>{text("console.nodes")}</h2>
      <div class="table" tabIndex={0} role="region" aria-label={text("console.nodes")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text("console.name")}</th>
              <th scope="col">{text("console.version")}</th>
              <th scope="col">{text("console.started")}</th>
              <th scope="col">{text("console.state")}</th>
            </tr>
          </thead>
          <tbody>
            {(status.nodes.length ? status.nodes : [{ ...server, alive: true, answers: true }]).map((node) => (
              <tr key={node.name}>
                <td dir="auto">{node.name}</td>
                <td dir="auto">{node.version}</td>
                <td><Moment at={node.started_time} /></td>
                <td class={node.alive ? "good" : "bad"}>{text(node.alive ? "console.alive" : "console.away")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {server.parts.length > 0 && (
        <>
          <h2>{text("console.parts")}</h2>
          <ul class="parts">
            {server.parts.map((part) => (
              <li key={part.name} class={part.up ? "good" : "bad"}>
                <code>{part.name}</code>: {text(part.up ? "console.alive" : "console.away")}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Figure(props: { title: string; more?: string; bad?: boolean; children: ComponentChildren }) {
  return (
    <div class={props.bad ? "figure bad" : "figure"}>
      <dt>{props.title}</dt>
      <dd>
        <strong translate={false}>{props.children}</strong>
        {props.more && <small>{props.more}</small>}
      </dd>
    </div>
  );
}

/** stored says how much an organization has. */
function stored({ messages, attachments, attachment_bytes }: Schemas["OrganizationUsage"]): string {
  const more = (n: number) => `${count(n)}${n < mostCounted ? "" : "+"}`;
  return [
    text("console.nMessages", { n: messages, count: more(messages) }),
    text("console.nAttachments", { n: attachments, count: more(attachments), size: size(attachment_bytes) }),
  ].join(" · ");
}

/** OrganizationCards leads to each organization that one administers. */
function OrganizationCards() {
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
            <Link to={`/console/organizations/${one.token}/people`}>
              <strong dir="auto">{one.name}</strong>
              <small>
                {text("people", { n: one.members })} · {text("console.nGroups", { n: one.groups })}
                {one.requests > 0 && <em> · {text("console.nRequests", { n: one.requests })}</em>}
              </small>
              {one.usage && <small>{stored(one.usage)}</small>}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
