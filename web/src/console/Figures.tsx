import type { ComponentChildren } from "preact";
import type { Schemas } from "../client/index";
import { Link } from "../kit/Link";
import { Moment } from "../kit/Moment";
import { count, size, span } from "../text/format";
import { text } from "../text/text";
import { Hint } from "./Hint";

type Status = Schemas["InstallationStatus"];

/** Figures are how the installation does at this moment, each with a word of help. `rate` is how much is sent in a minute. */
export function Figures({ status, rate }: { status: Status; rate: number | undefined }) {
  const { server, queues, backup, sweep, storage } = status;
  const now = Date.parse(status.time);
  const ago = (time: string) => text("console.ago", { span: span((now - Date.parse(time)) / 1000) });
  const behind = queues?.behind_by_age ?? 0;
  return (
    <dl class="figures">
      <Figure
        title={text("console.ready")}
        help={text("console.readyHelp")}
        bad={!server.ready}
        more={text("console.upFor", { span: span(server.uptime) })}
      >
        {text(server.ready ? "console.yes" : "console.no")}
      </Figure>
      <Figure
        title={text("console.sent")}
        help={text("console.sentHelp")}
        more={rate === undefined ? text("console.sinceStart") : text("console.aMinute", { n: Math.round(rate) })}
      >
        {count(server.messages.sent)}
      </Figure>
      <Figure title={text("console.streams")} help={text("console.streamsHelp")} more={text("console.openNow")}>
        {count(server.streams)}
      </Figure>
      <Figure
        title={text("console.queues")}
        help={text("console.queuesHelp")}
        bad={behind > 0}
        more={behind > 0 ? (
          <Link to="/console/stuck">{text("console.behind", { n: behind })}</Link>
        ) : queues?.oldest_event_time ? text("console.oldest", { time: ago(queues.oldest_event_time) }) : ""}
      >
        {count(queues?.events ?? 0)}
      </Figure>
      <Figure
        title={text("console.storage")}
        help={text("console.storageHelp")}
        more={server.free_bytes.data === undefined ? "" : text("console.free", { size: size(server.free_bytes.data) })}
      >
        {storage.database_bytes === undefined ? "PostgreSQL" : size(storage.database_bytes + (storage.log_bytes ?? 0))}
      </Figure>
      <Figure
        title={text("console.sweep")}
        help={text("console.sweepHelp")}
        more={sweep.oldest_time ? text("console.oldest", { time: ago(sweep.oldest_time) }) : ""}
      >
        {count(sweep.waiting)}
      </Figure>
      {backup && (
        <Figure
          title={text("console.backup")}
          help={text("console.backupHelp")}
          bad={!backup.succeeded_time || Boolean(backup.failed_time && backup.failed_time > backup.succeeded_time)}
          more={backup.bytes === undefined ? "" : <bdi>{size(backup.bytes)}</bdi>}
        >
          {backup.succeeded_time ? ago(backup.succeeded_time) : text("console.noBackup")}
        </Figure>
      )}
      <Figure title={text("console.certificate")} help={text("console.certificateHelp")}>
        <Moment at={server.certificate_ends_time} none={text("console.noCertificate")} />
      </Figure>
    </dl>
  );
}

/** Figure is one, with its name, a word of help, and what else there is to say of it. */
function Figure(props: { title: string; help: string; more?: ComponentChildren; bad?: boolean; children: ComponentChildren }) {
  return (
    <div class={props.bad ? "figure bad" : "figure"}>
      <dt>{props.title}</dt>
      <dd>
        <strong translate={false}>{props.children}</strong>
        {props.more && <small>{props.more}</small>}
        <Hint on={props.title}>{props.help}</Hint>
      </dd>
    </div>
  );
}
