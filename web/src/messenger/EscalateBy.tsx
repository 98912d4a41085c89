import { useEffect } from "preact/hooks";
import { Icon } from "../kit/Icon";
import { Menu } from "../kit/Menu";
import { text } from "../text/text";
import { loadPolicies, policies } from "./state/policies";

/** EscalateBy chooses how an urgent message is sent on while nobody comes, where the organization has a way for that. */
export function EscalateBy(props: {
  organization: string;
  value: string | undefined;
  onChange: (policy: string | undefined) => void;
}) {
  const { organization, value, onChange } = props;
  useEffect(() => loadPolicies(organization), [organization]);
  const names = policies.value.get(organization) ?? [];
  if (names.length === 0) return null;
  return (
    <Menu
      label={text("escalation")}
      class={value === undefined ? "icon" : "icon chosen"}
      onOpen={() => loadPolicies(organization)}
      choices={() => [
        { label: text("escalation.none"), checked: value === undefined, onChoose: () => onChange(undefined) },
        ...names.map((name) => ({ label: name, checked: name === value, onChoose: () => onChange(name) })),
      ]}
    >
      <Icon name="forward" />
      {value}
    </Menu>
  );
}
