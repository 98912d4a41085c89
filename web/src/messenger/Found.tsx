import { Avatar } from "../kit/Avatar";
import { text } from "../text/text";
import { stepIn } from "./Rows";
import { besides } from "./state/beside";
import { named } from "./state/organizations";
import type { Found } from "./state/search";

/** FoundList are the people and groups that were found. */
export function FoundList({ list, onChoose }: { list: readonly Found[]; onChoose: (one: Found) => void }) {
  if (list.length === 0) return <p class="empty" role="status">{text("nothingFound")}</p>;
  const beside = besides(list.flatMap(({ entity }) => ("num_members" in entity ? [] : [entity])));
  return (
    <ul class="found" onKeyDown={stepIn}>
      {list.map((one) => {
        const { entity, organization } = one;
        const more = "num_members" in entity ? text("people", { n: entity.num_members }) : beside(entity);
        const where = named(organization);
        return (
          <li key={organization + entity.token}>
            <button type="button" class="row" onClick={() => onChoose(one)}>
              <Avatar name={entity.display_name} token={entity.token} picture={entity.avatar} />
              <span dir="auto">
                <bdi>{entity.display_name}</bdi>
                {more && <small>{more}</small>}
                {where && <small>{where}</small>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
