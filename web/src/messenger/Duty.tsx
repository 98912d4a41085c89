import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../kit/Dialog";
import { describe } from "../kit/describe";
import { Field } from "../kit/Field";
import { Form } from "../kit/Form";
import { Icon } from "../kit/Icon";
import { client } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { momentOf, readingOf } from "../kit/zone";
import { time } from "../text/clock";
import { dates } from "../text/format";
import { text } from "../text/text";
import { PeopleChooser } from "./PeopleChooser";
import {
  days, type Duty as Rota, hoursOf, mayRule, nameIn, onDutyAt, type Override as Changed, overridden, placeOf, shown,
} from "./state/duty";
import type { Group } from "./state/groups";
import type { Found } from "./state/search";

/** A span of the hours that are shown: from one to another, which is in it. */
interface Chosen {
  from: number;
  to: number;
}

/** Duty shows who is on duty in two weeks, and has those who may change that. */
export function Duty({ group }: { group: Group }) {
  const there = client.in(group.organization_key);
  const members = group.members?.join() ?? group.num_members;
  const { value: duty, problem, reload } = useLoaded(() => there.getDuty(group.token, shown()), [group.token]);
  // What is being entered stays meanwhile.
  const known = useRef(members);
  useEffect(() => {
    if (known.current === members) return;
    known.current = members;
    reload();
  }, [members]);
  const [asked, ask] = useState<{ from: Date; to: Date }>();
  const may = mayRule(group);
  const remove = async (one: Changed) => {
    try {
      const now = await there.getDuty(group.token); // somebody else may have changed it
      const place = placeOf(now, one);
      if (place >= 0) await there.setDuty(group.token, overridden(now, { without: place }));
      reload();
    } catch (error) {
      toast(describe(error), { danger: true });
    }
  };
  if (!duty) return problem ? <p role="alert" class="problem">{problem}</p> : null;
  const later = duty.overrides.filter(({ to }) => Date.parse(to) > time());
  const now = new Date(time());
  return (
    <section class="duty" aria-label={text("duty.title")}>
      <header>
        <h3>{text("duty.title")}</h3>
        {may && (
          <button type="button" class="quiet" onClick={() => ask({ from: now, to: new Date(now.getTime() + 12 * 3_600_000) })}>
            <Icon name="add" /> {text("duty.change")}
          </button>
        )}
      </header>
      <p class="muted">{text("duty.zone", { zone: duty.timezone })}{may && ` ${text("duty.how")}`}</p>
      <Hours duty={duty} may={may} onChoose={(from, to) => ask({ from, to })} />
      {later.length > 0 && (
        <ul aria-label={text("duty.changes")}>
          {later.map((one) => (
            <li key={`${one.from} ${one.to} ${one.account}`}>
              <span>
                <bdi>{nameIn(duty, one.account) || text("duty.nobody")}</bdi>
                <small>{`${inZone(one.from, duty)} – ${inZone(one.to, duty)}`}</small>
              </span>
              {may && (
                <button
                  type="button" class="icon" aria-label={text("duty.remove", { time: inZone(one.from, duty) })}
                  title={text("duty.remove", { time: inZone(one.from, duty) })} onClick={() => void remove(one)}
                >
                  <Icon name="close" />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Override
          group={group} duty={duty} span={asked} onClose={() => ask(undefined)}
          onDone={() => {
            ask(undefined);
            reload();
          }}
        />
      )}
    </section>
  );
}

/** inZone is a time as the clock of the rota shows it. */
function inZone(time: string, { timezone }: Rota): string {
  const format = dates({
    weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: timezone,
  });
  return format.format(new Date(time));
}

/** How many hours further the arrow keys go. */
const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 24, ArrowUp: -24 };

/**
 * Hours are the hours of two weeks, a day in a row. Who may change the rota chooses some by dragging over them, or with
 * the arrow keys; for all others they are a table.
 */
function Hours(props: { duty: Rota; may: boolean; onChoose: (from: Date, to: Date) => void }) {
  const { duty, may, onChoose } = props;
  const rows = hoursOf(new Date(time()), duty.timezone);
  const all = rows.flat();
  const [chosen, choose] = useState<Chosen>();
  const [at, setAt] = useState(0);
  const dragging = useRef(false);
  const box = useRef<HTMLDivElement>(null);
  const done = ({ from, to }: Chosen) => {
    const [first, last] = [all[Math.min(from, to)], all[Math.max(from, to)]];
    choose(undefined);
    if (!first || !last) return;
    // The last hour ends when the next one begins: where the clock is set back, that is two hours later.
    const next = all.slice(Math.max(from, to) + 1).find((hour) => hour > last);
    onChoose(first, next ?? new Date(last.getTime() + 3_600_000));
  };
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (event.key === "Escape" && chosen) {
      event.stopPropagation();
      choose(undefined);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      done(chosen ?? { from: at, to: at });
    } else if (step !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(at + step, 0), days * 24 - 1);
      choose(event.shiftKey ? { from: chosen?.from ?? at, to: next } : undefined);
      setAt(next);
      box.current?.querySelector<HTMLElement>(`[data-hour="${next}"]`)?.focus();
    }
  };
  const tones = new Map([...new Set(duty.shifts.map(({ account }) => account))].map((account, i) => [account, String(i % 6)]));
  return (
    <div
      ref={box} class="hours" role={may ? "grid" : "table"} aria-label={text("duty.twoWeeks")}
      onPointerUp={() => {
        if (dragging.current && chosen) done(chosen);
        dragging.current = false;
      }}
      onPointerLeave={() => {
        dragging.current = false;
        choose(undefined);
      }}
      {...(may && { onKeyDown: move, "aria-multiselectable": true })}
    >
      {rows.map((hours, day) => (
        <div key={day} role="row">
          <span role="rowheader">
            {dates({ weekday: "short", day: "numeric", timeZone: duty.timezone }).format(hours[12])}
          </span>
          {hours.map((hour, h) => {
            const n = day * 24 + h;
            const shift = onDutyAt(duty.shifts, hour);
            const name = shift ? nameIn(duty, shift.account) : text("duty.nobody");
            const within = chosen && n >= Math.min(chosen.from, chosen.to) && n <= Math.max(chosen.from, chosen.to);
            const begins = h === 0 || shift?.account !== onDutyAt(duty.shifts, hours[h - 1] ?? hour)?.account;
            return (
              <span
                key={h} role={may ? "gridcell" : "cell"} data-hour={n} data-tone={shift && tones.get(shift.account)}
                class={shift?.override ? "override" : undefined}
                aria-label={text(shift?.override ? "duty.hourChanged" : "duty.hour", { time: inZone(hour.toISOString(), duty), name })}
                title={name}
                {...(may && {
                  tabIndex: n === at ? 0 : -1,
                  "aria-selected": Boolean(within),
                  onPointerDown: (event: PointerEvent) => {
                    if (event.pointerType === "touch") return; // it scrolls
                    dragging.current = true;
                    setAt(n);
                    choose({ from: n, to: n });
                  },
                  onPointerEnter: () => dragging.current && choose({ from: chosen?.from ?? n, to: n }),
                })}
              >
                {begins && <bdi aria-hidden="true">{name}</bdi>}
              </span>
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** Override has somebody on duty for a while. */
function Override(props: { group: Group; duty: Rota; span: { from: Date; to: Date }; onDone: () => void; onClose: () => void }) {
  const { group, duty, span, onDone, onClose } = props;
  const [who, setWho] = useState<readonly Found[]>([]);
  const there = client.in(group.organization_key);
  const entered = (fields: FormData, name: string) => momentOf(String(fields.get(name)).slice(0, 16), duty.timezone).toISOString();
  return (
    <Dialog title={text("duty.change")} onClose={onClose}>
      <Form
        act={text("save")}
        onCancel={onClose}
        onSubmit={async (fields) => {
          const account = who[0]?.entity.token ?? "";
          const now = await there.getDuty(group.token); // somebody else may have changed it
          const add = { from: entered(fields, "from"), to: entered(fields, "to"), account };
          await there.setDuty(group.token, overridden(now, { add }));
          onDone();
        }}
      >
        <PeopleChooser
          label={text("duty.who")} organization={group.organization_key} chosen={who} self
          onChange={(chosen) => setWho(chosen.slice(-1))}
        />
        <Field label={text("duty.from")} name="from" type="datetime-local" value={readingOf(span.from, duty.timezone)} required />
        <Field label={text("duty.to")} name="to" type="datetime-local" value={readingOf(span.to, duty.timezone)} required />
        <p class="muted">{text("duty.zone", { zone: duty.timezone })}</p>
      </Form>
    </Dialog>
  );
}
