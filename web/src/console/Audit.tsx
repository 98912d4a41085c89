import { useEffect, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { Moment } from "../kit/Moment";
import { save } from "../kit/save";
import { Table } from "../kit/Table";
import { moment } from "../text/format";
import { text } from "../text/text";
import { all, type Entry, firstWrong, follow, read } from "./state/audit";
import type { OfOrganization } from "./tab";

const pageSize = 100;

/** Audit reads the log of an organization, or, for operators, that of the platform. */
export function Audit({ organization }: Partial<OfOrganization>) {
  const org = organization?.token;
  const [action, setAction] = useState("");
  const [day, setDay] = useState("");
  const [following, setFollowing] = useState(false);
  const [fresh, setFresh] = useState<readonly Entry[]>([]);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!following) return undefined;
    setFresh([]);
    return follow(org, (entry) => setFresh((known) => [entry, ...known].slice(0, 200)), () => setFollowing(false));
  }, [org, following]);
  const whole = async (use: (entries: Entry[]) => Promise<void>) => {
    try {
      await use(await all(org, (n) => setSaid(text("console.entries", { n }))));
    } catch (error) {
      setSaid(describe(error));
    }
  };
  const check = () =>
    whole(async (entries) => {
      const wrong = await firstWrong(entries);
      setSaid(wrong === undefined ? text("console.chainGood", { n: entries.length }) : text("console.chainBroken", { n: wrong }));
    });
  const download = () =>
    whole((entries) => {
      const lines = entries.map(({ hash, ...entry }) => `${JSON.stringify({ entry, hash })}\n`);
      save(`${organization?.name ?? "platform"}.jsonl`, new Blob(lines, { type: "application/jsonl" }));
      return Promise.resolve();
    });
  return (
    <>
      {!organization && <h1>{text("console.audit")}</h1>}
      <div class="acts">
        <button type="button" aria-pressed={following} onClick={() => setFollowing(!following)}>
          <Icon name="pulse" /> {text(following ? "console.followed" : "console.follow")}
        </button>
        <button type="button" onClick={() => void check()}>
          <Icon name="shield" /> {text("console.check")}
        </button>
        <button type="button" onClick={() => void download()}>
          <Icon name="download" /> {text("console.exportAll")}
        </button>
        <span role="status">{said}</span>
      </div>
      {following && (
        <ol class="fresh" aria-live="polite" aria-label={text("console.followed")}>
          {fresh.length === 0 && <li class="muted">{text("console.nothingYet")}</li>}
          {fresh.map((entry) => (
            <li key={entry.number}>
              <time>{moment(entry.time)}</time> <code>{entry.action}</code> {entry.outcome} {entry.detail}
            </li>
          ))}
        </ol>
      )}
      <Table<Entry>
        label={text("console.audit")}
        empty={text("console.noEntries")}
        on={[org, action, day]}
        keyOf={(entry) => String(entry.number)}
        load={async (before) => {
          const entries = await read(org, {
            limit: pageSize,
            ...(before && { before: Number(before) }),
            ...(action && { action }),
            ...(day && { until: new Date(Date.parse(day) + 86_400_000).toISOString() }),
          });
          const last = entries.at(-1);
          return {
            results: entries,
            metadata: last && entries.length === pageSize ? { continuation: String(last.number) } : {},
          };
        }}
        columns={[
          { title: text("console.number"), value: (entry) => entry.number, number: true },
          { title: text("console.time"), value: (entry) => entry.time, show: (entry) => <Moment at={entry.time} to="second" /> },
          { title: text("console.action"), value: (entry) => entry.action, show: (entry) => <code>{entry.action}</code> },
          {
            title: text("console.outcome"),
            value: (entry) => entry.outcome,
            show: (entry) => <code class={entry.outcome === "ok" ? "good" : "bad"}>{entry.outcome}</code>,
          },
          { title: text("console.by"), value: (entry) => entry.account ?? "", show: (entry) => <code>{entry.account?.slice(-12) ?? "–"}</code> },
          {
            title: text("console.on"),
            value: (entry) => entry.on_account ?? entry.on_group ?? entry.on_key ?? "",
            show: (entry) => <code>{(entry.on_account ?? entry.on_group ?? entry.on_key ?? "–").slice(-12)}</code>,
          },
          { title: text("console.detail"), value: (entry) => entry.detail ?? "" },
          { title: text("console.from"), value: (entry) => entry.address ?? "" },
        ]}
      >
        <label class="inline">
          {text("console.action")}
          <input type="text" value={action} onChange={(event) => setAction(event.currentTarget.value.trim())} />
        </label>
        <label class="inline">
          {text("console.until")}
          <input type="date" value={day} onChange={(event) => setDay(event.currentTarget.value)} />
        </label>
      </Table>
    </>
  );
}
