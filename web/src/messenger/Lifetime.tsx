import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { span } from "../text/format";
import { text } from "../text/text";
import type { Rules } from "./state/organizations";

const minutes = [5, 60, 8 * 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60, 365 * 24 * 60];

/** Lifetime chooses how long a message lasts; undefined is as long as the organization says. */
export function Lifetime(props: { rules: Rules; value: number | undefined; onChange: (ttl: number | undefined) => void }) {
  const { rules, value } = props;
  const usual = Math.min(rules.ttl < 0 ? Infinity : rules.ttl, rules.longest);
  const offered: (number | undefined)[] = [undefined, ...minutes.filter((n) => n <= rules.longest && n !== usual)];
  if (rules.longest === Infinity && usual !== Infinity) offered.push(-1);
  const label = (ttl: number | undefined) =>
    ttl === undefined ? text("usualLifetime", { time: name(usual) }) : name(ttl);
  return (
    <Menu
      label={text("lifetime")}
      class={value === undefined ? "icon" : "icon chosen"}
      choices={() => offered.map((ttl) => ({ label: label(ttl), checked: ttl === value, onChoose: () => props.onChange(ttl) }))}
    >
      <Icon name="stuck" />
      {value !== undefined && name(value)}
    </Menu>
  );
}

/** name says how long a number of minutes is. */
function name(ttl: number): string {
  return ttl < 0 || ttl === Infinity ? text("forEver") : span(ttl * 60);
}
