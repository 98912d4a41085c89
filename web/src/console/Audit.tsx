import { useEffect, useMemo, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { save } from "../kit/save";
import { go, path, query } from "../kit/state/route";
import { useBusy } from "../kit/useBusy";
import { tick } from "../text/clock";
import { moment } from "../text/format";
import { text } from "../text/text";
import { AuditEntry } from "./AuditEntry";
import { AuditFilters } from "./AuditFilters";
import { verify } from "./state/audit";
import { lines, spreadsheet } from "./state/auditFiles";
import { type AuditFilter, formatFilter, parseFilter } from "./state/auditFilter";
import { AuditLog } from "./state/auditLog";
import { elevation, elevated } from "./state/elevation";
import type { OfOrganization } from "./tab";

const often = 30_000; // milliseconds after which it is said anew how long ago something was

/** Audit reads the log of an organization, or, for operators, that of the platform. */
export function Audit({ organization }: Partial<OfOrganization>) {
  const filter = parseFilter(query.value);
  const asked = formatFilter(filter);
  const log = useMemo(() => new AuditLog(organization, filter), [organization?.token, asked]);
  const [chosen, setChosen] = useState(""); // the name of who was chosen last, of whom there may be no entry
  const [said, setSaid] = useState("");
  useEffect(() => {
    log.load();
    return () => log.close();
  }, [log]);
  useEffect(() => {
    const timer = setInterval(tick, often);
    return () => clearInterval(timer);
  }, []);
  const show = (to: AuditFilter, name?: string) => {
    if (name !== undefined) setChosen(name);
    go(path.value + formatFilter(to));
  };
  return (
    <section class="audit" aria-label={text("console.audit")}>
      {!organization && <h1>{text("console.audit")}</h1>}
      <AuditFilters
        organization={organization?.token}
        filter={filter}
        name={Object.hasOwn(log.names.value, filter.account) ? (log.names.value[filter.account] ?? "") : chosen || filter.account}
        onChange={show}
      />
      <Acts organization={organization} log={log} said={said} onSay={setSaid} />
      <Entries log={log} onPerson={(account, name) => show({ ...filter, account }, name)} />
    </section>
  );
}

/** Acts are what can be done with the log: watched, verified and taken away. */
function Acts(props: Partial<OfOrganization> & { log: AuditLog; said: string; onSay: (words: string) => void }) {
  const { organization, log, onSay } = props;
  const [following, setFollowing] = useState(false);
  const { busy, run } = useBusy();
  const left = useMemo(() => new AbortController(), [organization?.token]);
  useEffect(() => () => left.abort(), [left]);
  useEffect(() => {
    if (!following) return undefined;
    return log.follow(() => {
      setFollowing(false);
      onSay(text("console.followEnded"));
    });
  }, [log, following]);
  const act = (what: () => Promise<string>) =>
    run(async () => {
      try {
        onSay(await what());
      } catch (error) {
        const given = error instanceof DOMException && error.name === "AbortError"; // up, with the view
        if (!given) onSay(describe(error));
      }
    });
  const watch = async () => {
    onSay("");
    if (following) return setFollowing(false);
    if (!elevated()) await elevation();
    setFollowing(true);
  };
  const check = async () => {
    const { entries, since, wrong } = await verify(organization?.token, left.signal, (n) => onSay(text("console.verifying", { n })));
    if (wrong) return text("console.chainBroken", { n: wrong.number, time: moment(wrong.time) });
    return text("console.chainGood", { n: entries, time: moment(since) });
  };
  const told = (n: number) => onSay(text("console.entries", { n }));
  const file = (kind: string) => `${organization?.name ?? "platform"}-audit.${kind}`;
  const shown = async () => {
    const entries = await log.all(told);
    save(file("csv"), spreadsheet(entries, log.reader));
    return text("console.entries", { n: entries.length });
  };
  const full = async () => {
    let n = 0;
    const content = await lines(organization?.token, left.signal, (so) => told((n = so)));
    save(file("jsonl"), content);
    return text("console.entries", { n });
  };
  return (
    <div class="acts">
      <button type="button" class={following ? "on" : undefined} onClick={() => void watch().catch((error: unknown) => onSay(describe(error)))}>
        <Icon name="pulse" /> {text(following ? "console.followPaused" : "console.follow")}
      </button>
      <button type="button" aria-disabled={busy} onClick={() => void act(check)}>
        <Icon name="shield" /> {text("console.check")}
      </button>
      <Menu
        label={text("console.exportLog")}
        class="export"
        choices={() => [
          { label: text("console.exportShown"), icon: "list", onChoose: () => void act(shown) },
          { label: text("console.exportAll"), icon: "shield", onChoose: () => void act(full) },
        ]}
      >
        <Icon name="download" /> {text("console.exportLog")} <Icon name="down" />
      </Menu>
      {following && <em class="tag">{text("console.followed")}</em>}
      <p class="said" role="status">{props.said}</p>
    </div>
  );
}

/** Entries are those that are loaded, the newest first. What comes by itself is said too. */
function Entries({ log, onPerson }: { log: AuditLog; onPerson: (account: string, name: string) => void }) {
  const entries = log.entries.value;
  const problem = log.problem.value;
  return (
    <>
      <p class="unseen" role="status">{log.heard.value}</p>
      {problem && (
        <p role="alert" class="problem">
          {problem()}{" "}
          <button type="button" onClick={() => log.load()}>{text("tryAgain")}</button>
        </p>
      )}
      {!entries && !problem && <p class="empty wait">{text("loading")}</p>}
      {entries?.length === 0 && <p class="empty">{text("console.noEntries")}</p>}
      {entries && entries.length > 0 && (
        <ol class="log" aria-label={text("console.audit")} aria-busy={log.busy.value}>
          {entries.map((entry) => (
            <AuditEntry key={entry.number} entry={entry} reader={log.reader} onPerson={onPerson} />
          ))}
        </ol>
      )}
      {log.more.value && entries && (
        <p class="more">
          <span role="status">{text("console.soFar", { n: entries.length })}</span>
          <button type="button" aria-disabled={log.busy.value} onClick={() => log.older()}>{text("console.more")}</button>
        </p>
      )}
    </>
  );
}
