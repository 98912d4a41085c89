import { useEffect } from "preact/hooks";
import { go } from "../kit/state/route";
import { text } from "../text/text";
import { current, within } from "./state/conversations";
import { byName, organizations } from "./state/organizations";
import { look, words } from "./state/search";

/** OrganizationSwitch chooses whose conversations are shown, where one is in several organizations. */
export function OrganizationSwitch() {
  const all = byName.value;
  const chosen = within.value;
  const gone = chosen !== undefined && all.length > 0 && !organizations.value.has(chosen);
  useEffect(() => {
    if (gone) within.value = undefined;
  }, [gone]);
  if (all.length < 2) return null;
  const choose = (organization: string | undefined) => {
    const open = current.value;
    if (open && organization && open.organization_id !== organization) go("/");
    within.value = organization;
    look(words.value);
  };
  return (
    <p class="switch">
      <select
        aria-label={text("organization")}
        value={chosen ?? ""}
        onChange={(event) => choose(event.currentTarget.value || undefined)}
      >
        <option value="">{text("allOrganizations")}</option>
        {all.map(({ token, name }) => (
          <option key={token} value={token}>
            {name}
          </option>
        ))}
      </select>
    </p>
  );
}
