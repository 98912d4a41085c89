import { Icon } from "../kit/Icon";
import { date, minute } from "../text/format";
import { text } from "../text/text";
import type { Warning } from "./state/warnings";

/** Warnings says what the operator has to see to, each with what to do; or that there is nothing. */
export function Warnings({ warnings, since }: { warnings: readonly Warning[]; since: string }) {
  if (warnings.length === 0) {
    return (
      <p class="calm" role="status">
        <Icon name="check" />
        <span>
          <strong>{text("console.calm")}</strong> {text("console.calmSince", { time: minute(since) })}
        </span>
      </p>
    );
  }
  return (
    <>
      <p class="unseen" role="status">{text("console.nWarnings", { n: warnings.length })}</p>
      <ul class="warnings" aria-label={text("console.warnings")}>
        {warnings.map((warning) => <One key={`${warning.topic} ${warning.name ?? ""} ${warning.more ?? ""}`} {...warning} />)}
      </ul>
    </>
  );
}

function One({ topic, urgent, at, days, name = "", command, more }: Warning) {
  const values = { n: days ?? 0, name, date: at ? date(at) : "", time: at ? minute(at) : "" };
  return (
    <li class={urgent ? "urgent" : ""}>
      <Icon name="warning" />
      <div>
        <strong>{text(`console.warn_${topic}`, values)}</strong>
        <p>{text(`console.warnDo_${topic}`, values)}</p>
        {command && <p><code>{command}</code></p>}
        {more && (
          <details>
            <summary>{text("console.serverSays")}</summary>
            <p lang="en">{more}</p>
          </details>
        )}
      </div>
    </li>
  );
}
