import { Field } from "../kit/Field";
import { Icon } from "../kit/Icon";
import { Select } from "../kit/Select";
import { capital, monthOf } from "../text/format";
import { text } from "../text/text";
import { GroupedSelect } from "./GroupedSelect";
import { PersonFilter } from "./PersonFilter";
import { actions, actionTitle, allOf, type Subject, subjectTitle } from "./state/actions";
import { type AuditFilter, lastMonths, noFilter, showsReads } from "./state/auditFilter";

const months = 24; // that are offered by name; for older ones there are dates

interface Props {
  organization: string | undefined;
  filter: AuditFilter;
  /** That of the account which the filter holds. */
  name: string;
  onChange: (filter: AuditFilter, name?: string) => void;
}

/** AuditFilters narrow down which entries of the audit log are shown. */
export function AuditFilters({ organization, filter, name, onChange }: Props) {
  const change = (to: Partial<AuditFilter>) => onChange({ ...filter, ...to });
  const all = Object.values(filter).every((one) => !one);
  return (
    <div class="filters" role="group" aria-label={text("filters")}>
      <PersonFilter
        organization={organization}
        account={filter.account}
        name={name}
        onChange={(account, of) => onChange({ ...filter, account }, of)}
      />
      <ActionFilter value={filter.action} onChange={(action) => change({ action })} />
      <Select
        label={text("console.outcome")}
        value={filter.outcome}
        options={{ "": text("console.anyResult"), ok: text("console.outDone"), refused: text("console.outRefused") }}
        onChange={(outcome) => change({ outcome })}
      />
      <PeriodFilter filter={filter} onChange={change} />
      <div class="switches">
        <label class="check">
          <input
            type="checkbox"
            checked={showsReads(filter)}
            disabled={showsReads(filter) && !filter.reads} // it is all that is asked for
            onChange={(event) => change({ reads: event.currentTarget.checked })}
          />
          {text("console.showReads")}
        </label>
        {/* It stays where it is while there is nothing to clear, and so does the focus. */}
        <button type="button" aria-disabled={all} onClick={() => all || onChange(noFilter)}>
          <Icon name="close" /> {text("console.clearFilters")}
        </button>
      </div>
    </div>
  );
}

function ActionFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const groups = (Object.keys(actions) as Subject[]).map((subject) => {
    const title = subjectTitle(subject);
    const each = actions[subject].map((action) => [action, capital(actionTitle(action))] as const);
    return { title, options: [[allOf(subject), text("console.allOfSubject", { group: title })] as const, ...each] };
  });
  const known = groups.some(({ options }) => options.some(([one]) => one === value));
  return (
    <GroupedSelect
      label={text("console.action")}
      value={value}
      alone={[["", text("console.anyAction")], ...(known || value === "" ? [] : [[value, value] as const])]}
      groups={groups}
      onChange={onChange}
    />
  );
}

function PeriodFilter({ filter, onChange }: { filter: AuditFilter; onChange: (to: Partial<AuditFilter>) => void }) {
  const { period, since, until } = filter;
  const named = lastMonths(months);
  const other = /^\d/.test(period) && !/d$/.test(period) && !named.includes(period) ? [period] : [];
  return (
    <>
      <GroupedSelect
        label={text("console.period")}
        value={period}
        alone={[
          ["", text("console.anyTime")],
          ["today", text("console.today")],
          ["7d", text("console.lastDays", { n: 7 })],
          ["30d", text("console.lastDays", { n: 30 })],
          ["dates", text("console.betweenDates")],
        ]}
        groups={[{ title: text("console.months"), options: [...named, ...other].map((month) => [month, monthOf(month)] as const) }]}
        onChange={(to) => onChange({ period: to, since: "", until: "" })}
      />
      {period === "dates" && (
        <>
          <Field label={text("sinceDay")} type="date" value={since} max={until} onInput={(event) => onChange({ since: event.currentTarget.value })} />
          <Field label={text("untilDay")} type="date" value={until} min={since} onInput={(event) => onChange({ until: event.currentTarget.value })} />
        </>
      )}
    </>
  );
}
