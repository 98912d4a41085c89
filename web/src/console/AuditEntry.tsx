import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { moment } from "../text/format";
import { ago } from "../text/relative";
import { text } from "../text/text";
import type { Entry } from "./state/audit";
import { administers } from "./state/rights";
import { type Named, often, outcome, type Reader, sentence } from "./state/sentence";

interface Props {
  entry: Entry;
  reader: Reader;
  /** Has the log show those of an account alone. */
  onPerson: (account: string, name: string) => void;
}

/** AuditEntry is a line of the audit log: a sentence, how it ended and when; opened, all that the line holds. */
export function AuditEntry({ entry, reader, onPerson }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const toggle = () => setOpen(!open);
  const label = text("console.entryDetails", { n: entry.number });
  const times = often(entry);
  return (
    <li
      class="entry"
      onClick={(event) => {
        const at = event.target instanceof Element ? event.target : undefined;
        if (!at?.closest("a, button, dl") && getSelection()?.isCollapsed) toggle();
      }}
    >
      <p class="says" dir="auto">
        {sentence(entry, reader).map((piece, i) =>
          typeof piece === "string" ? piece : <Name key={i} of={piece} entry={entry} />,
        )}
        {times && <em class="tag">{times}</em>}
      </p>
      <p class={entry.outcome === "ok" ? "outcome good" : "outcome bad"}>{outcome(entry)}</p>
      <p class="when">
        <time dateTime={entry.time}>{moment(entry.time)}</time>
        <small><time dateTime={entry.time} title={moment(entry.time)}>{ago(entry.time)}</time></small>
      </p>
      <button type="button" class="icon" aria-label={label} title={label} aria-expanded={open} aria-controls={open ? id : undefined} onClick={toggle}>
        <Icon name={open ? "up" : "down"} />
      </button>
      {open && <Details id={id} entry={entry} reader={reader} onPerson={onPerson} />}
    </li>
  );
}

/** Name is a name in a sentence, which leads to whom or what it names, where the caller may go there. */
function Name({ of: { words, kind, token, known }, entry }: { of: Named; entry: Entry }) {
  if (!known) return <em>{words}</em>;
  const within = entry.chain || entry.on_organization;
  if (kind === "account" && within && administers(within)) {
    return <Link to={`/console/organizations/${within}/people/${token}`}><bdi>{words}</bdi></Link>;
  }
  if (kind === "organization" && administers(token)) {
    return <Link to={`/console/organizations/${token}/people`}><bdi>{words}</bdi></Link>;
  }
  return kind === "" ? <bdi>{words}</bdi> : <strong><bdi>{words}</bdi></strong>;
}

/** Details are all that an entry holds, as the server has it. */
function Details({ id, entry, reader: { names }, onPerson }: Props & { id: string }) {
  const codes = (...values: (string | undefined)[]) =>
    values.some(Boolean) && values.filter(Boolean).map((value) => <code key={value}>{value}</code>);
  const renamed = Object.entries(entry.new ?? {}).map(([field, name]) => (
    <span key={field} dir="auto">
      <bdi>{entry.old?.[field as keyof NonNullable<Entry["old"]>] || "–"}</bdi> → <bdi>{name}</bdi>
    </span>
  ));
  const people = [...new Set([entry.account, entry.on_account])].filter((one) => one !== undefined && one in names) as string[];
  const facts: [string, ComponentChildren][] = [
    [text("console.number"), <code>{entry.number}</code>],
    [text("console.time"), <code>{entry.time}</code>],
    [text("console.action"), <code>{entry.action}</code>],
    [text("console.resultCode"), <code>{entry.outcome}</code>],
    [text("console.by"), codes(entry.account)],
    [text("console.usedKey"), codes(entry.key)],
    [text("console.from"), codes(entry.address)],
    [text("console.on"), codes(entry.on_account, entry.on_group, entry.on_organization, entry.on_key)],
    [text("console.detail"), codes(entry.detail)],
    [text("console.name"), renamed.length > 0 && renamed],
    [text("console.requestId"), codes(entry.request_id)],
    [text("console.hash"), codes(entry.hash)],
  ];
  return (
    <div class="opened" id={id}>
      <dl class="facts">
        {facts.map(([title, value]) => value && [<dt key={title}>{title}</dt>, <dd key={`${title} is`}>{value}</dd>])}
      </dl>
      {people.length > 0 && (
        <p class="acts">
          {people.map((token) => (
            <button type="button" key={token} onClick={() => onPerson(token, names[token] ?? "")}>
              <Icon name="search" /> <span dir="auto">{text("console.onlyNamed", { name: names[token] ?? "" })}</span>
            </button>
          ))}
        </p>
      )}
    </div>
  );
}
