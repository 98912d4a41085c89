import { useState } from "preact/hooks";
import type { Schemas } from "../client/index";
import { Confirm } from "../kit/Confirm";
import { Icon } from "../kit/Icon";
import { client } from "../kit/state/session";
import { Table } from "../kit/Table";
import { toast } from "../kit/Toasts";
import { useLoaded } from "../kit/useLoaded";
import { time } from "../text/clock";
import { text } from "../text/text";
import { EditRota } from "./EditRota";
import { PersonLink } from "./PersonLink";
import { listed, nameIn, said } from "./state/named";
import { inZone, loadRota, type Rota as Loaded, type Span, spansOf } from "./state/rota";

/** Rota is who is on duty for a group, as the server says for two weeks, and what administrators do with that. */
export function Rota({ group, onChange }: { group: Schemas["Group"]; onChange: () => void }) {
  const { value, problem, reload } = useLoaded(() => loadRota(group), [group.token, group.duty]);
  const [asked, setAsked] = useState<"set" | "end" | undefined>();
  const close = () => setAsked(undefined);
  const change = () => {
    reload();
    onChange();
  };
  const rota = value ?? null;
  return (
    <section class="rota" aria-label={text("console.duty")}>
      <h2>{text("console.duty")}</h2>
      <p class="muted">{text(group.duty ? "console.dutyWhy" : "console.dutyNone")}</p>
      {problem && <p role="alert" class="problem">{problem}</p>}
      {group.duty && !value && !problem && <p class="empty wait">{text("loading")}</p>}
      {rota && <Facts of={rota} />}
      {(rota || !group.duty) && (
        <div class="acts">
          <button type="button" onClick={() => setAsked("set")}>
            <Icon name={rota ? "edit" : "add"} /> {text(rota ? "console.editRota" : "console.setRota")}
          </button>
          {rota && <button type="button" class="danger" onClick={() => setAsked("end")}>{text("console.endRota")}</button>}
        </div>
      )}
      {rota && <Preview of={rota} organization={group.organization_key} />}
      {asked === "set" && (
        <EditRota
          group={group} of={rota} onClose={close}
          onDone={() => {
            close();
            change();
          }}
        />
      )}
      {asked === "end" && (
        <Confirm
          title={text("console.endRota")}
          act={text("console.endRota")}
          danger
          onClose={close}
          onConfirm={async () => {
            await client.endDuty(group.token);
            toast(text("console.done"));
            change();
          }}
        >
          <p>{text("console.endRotaWhy")}</p>
        </Confirm>
      )}
    </section>
  );
}

/** Facts are who is on duty now, and what the rota says. */
function Facts({ of: { duty, names } }: { of: Loaded }) {
  const among = [...names.values()];
  const all = (tokens: readonly string[]) => listed(tokens.map((token) => nameIn(names, token)), among);
  const [on] = duty.on_duty;
  const { rotation } = duty;
  const name = (token: string) => (token === "" ? text("duty.nobody") : said(nameIn(names, token), among));
  return (
    <dl class="facts">
      <dt>{text("console.onDutyNow")}</dt><dd dir="auto">{name(on?.token ?? "")}</dd>
      <dt>{text("console.timezone")}</dt><dd><bdi>{duty.timezone}</bdi></dd>
      {rotation && (
        <>
          <dt>{text("console.turns")}</dt>
          <dd dir="auto">{rotation.accounts.map(name).join(" → ")}</dd>
          <dt>{text("console.turnLength")}</dt><dd>{text("console.hours", { n: rotation.hours })}</dd>
        </>
      )}
      <dt>{text("console.dutyAlways")}</dt><dd dir="auto">{all(duty.always) || "–"}</dd>
      <dt>{text("console.dutyFallback")}</dt><dd dir="auto">{all(duty.fallback) || "–"}</dd>
    </dl>
  );
}

const page = 50; // shifts that are shown at once

/** Preview lists the shifts of two weeks, and when nobody is on duty. */
function Preview({ of: { duty, names }, organization }: { of: Loaded; organization: string }) {
  const zone = duty.timezone;
  const clock = (at: string) => <time dateTime={at}>{inZone(at, zone)}</time>;
  const among = [...names.values()];
  const name = ({ account }: Span) => (account === "" ? text("duty.nobody") : said(nameIn(names, account), among));
  return (
    <>
      <h3>{text("duty.twoWeeks")}</h3>
      <p class="muted">{text("duty.zone", { zone })}</p>
      <Table<Span>
        label={text("duty.twoWeeks")}
        empty={text("duty.nobody")}
        on={[duty]}
        keyOf={({ from }) => from}
        load={async (continuation) => {
          const [all, at] = [spansOf(duty, time()), Number(continuation ?? 0)];
          return {
            results: all.slice(at, at + page),
            metadata: at + page < all.length ? { continuation: String(at + page) } : {},
          };
        }}
        columns={[
          {
            title: text("duty.who"),
            value: name,
            show: (span) => (
              <>
                {span.account === "" ? (
                  <strong class="bad">{name(span)}</strong>
                ) : (
                  <PersonLink account={span.account} organization={organization}>{name(span)}</PersonLink>
                )}
                {span.override && <em class="tag">{text("console.changedShift")}</em>}
              </>
            ),
          },
          { title: text("duty.from"), value: ({ from }) => from, show: ({ from }) => clock(from) },
          { title: text("duty.to"), value: ({ to }) => to, show: ({ to }) => clock(to) },
        ]}
      />
    </>
  );
}
