import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Mark } from "../kit/House";
import { Icon, type IconName } from "../kit/Icon";
import { Link } from "../kit/Link";
import { SignOut } from "../kit/SignOut";
import { brand } from "../kit/state/brand";
import { path } from "../kit/state/route";
import { session } from "../kit/state/session";
import { toast } from "../kit/Toasts";
import { clock } from "../text/format";
import { language, text } from "../text/text";
import { Elevate } from "./Elevate";
import { Audit, FirstStart, Keys, NoAccess, Organizations, Settings, Stuck, Whereabouts } from "./later";
import { NotFound } from "./NotFound";
import { Organization } from "./Organization";
import { Overview } from "./Overview";
import { Secret } from "./Secret";
import { asking, lower } from "./state/elevation";
import { hooked, issued } from "./state/secret";
import { WebhookSecret } from "./WebhookSecret";

/** Console is the navigation, and beside it what the address names. */
export function Console() {
  const [open, setOpen] = useState(false);
  const drawer = useRef<HTMLButtonElement>(null);
  const at = path.value.replace(/(?<!\/)\/+$/, ""); // looks at each slash once
  useEffect(() => setOpen(false), [at]);
  // By Escape too; what lies above is closed first.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!open || event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    setOpen(false);
    drawer.current?.focus();
  };
  const house = brand.value?.name ?? "";
  useEffect(() => {
    document.title = house ? `${text("console.menu")} · ${house}` : text("consoleTitle");
  }, [house, language.value]);
  const end = () => void lower().catch((error: unknown) => toast(describe(error), { danger: true }));
  const who = session.value;
  if (!who) return null;
  if (!who.operator && who.administrator_of.length === 0) return <NoAccess />;
  return (
    <div class={open ? "console open" : "console"} onKeyDown={onKeyDown}>
      <header class="bar">
        <button
          type="button" class="icon drawer" ref={drawer} aria-label={text("console.menu")} aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name="menu" />
        </button>
        <Mark />
        {house ? (
          <strong title={house}>
            <bdi>{house}</bdi> <small>{text("console.menu")}</small>
          </strong>
        ) : (
          <strong>{text("consoleTitle")}</strong>
        )}
        {who.elevated_until && (
          <button type="button" class="elevated" title={text("console.lower")} onClick={end}>
            <Icon name="shield" />
            <span>{text("console.elevatedUntil", { time: clock(who.elevated_until) })}</span>
          </button>
        )}
        <span class="who" dir="auto">
          {who.account.display_name}
        </span>
        <SignOut />
      </header>
      <nav aria-label={text("console.menu")}>
        <Entry to="/console" icon="pulse" at={at}>{text("console.overview")}</Entry>
        <Entry to="/console/organizations" icon="building" at={at}>{text("console.organizations")}</Entry>
        {who.operator && (
          <>
            <Entry to="/console/keys" icon="key" at={at}>{text("console.keys")}</Entry>
            <Entry to="/console/stuck" icon="stuck" at={at}>{text("console.stuck")}</Entry>
            <Entry to="/console/audit" icon="list" at={at}>{text("console.audit")}</Entry>
            <Entry to="/console/settings" icon="settings" at={at}>{text("settings")}</Entry>
          </>
        )}
        <hr />
        <a href="/"><Icon name="chat" />{text("console.messenger")}</a>
        <a href="/docs"><Icon name="help" />{text("console.api")}</a>
      </nav>
      <main tabIndex={-1}>
        <View at={at} />
      </main>
      {issued.value && <Secret of={issued.value} key={issued.value.api_secret} />}
      {hooked.value && <WebhookSecret of={hooked.value} />}
      {asking.value && <Elevate {...asking.value} />}
    </div>
  );
}

function Entry(props: { to: string; icon: IconName; at: string; children: ComponentChildren }) {
  const current = props.at === props.to || (props.to !== "/console" && props.at.startsWith(`${props.to}/`));
  return (
    <Link to={props.to} current={current}>
      <Icon name={props.icon} />
      {props.children}
    </Link>
  );
}

/** decoded is a part of an address; what is no encoding of anything stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** View is what an address shows. */
function View({ at }: { at: string }) {
  const [, page = "", token, tab, one] = at.slice("/console".length).split("/").map(decoded);
  const operator = session.value?.operator ?? false;
  if (page === "") return <Overview />;
  if (page === "start" && operator) return <FirstStart />;
  if (page === "organizations" && token) return <Organization token={token} tab={tab ?? "people"} one={one} />;
  if (page === "organizations") return <Organizations />;
  if (operator && page === "people" && token) return <Whereabouts account={token} />;
  if (operator && page === "keys") return <Keys />;
  if (operator && page === "stuck") return <Stuck />;
  if (operator && page === "audit") return <Audit />;
  if (operator && page === "settings") return <Settings />;
  return <NotFound />;
}
