import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { text } from "../text/text";
import { dismiss, vacancies } from "./state/vacancies";

/** Vacancies tells of groups for which nobody is on duty, and leads to each. */
export function Vacancies() {
  return (
    <>
      {vacancies.value.map(({ group, organization, name }) => (
        <div key={group} class="offer" role="group" aria-label={name ?? text("duty.vacantSomewhere")}>
          <p role="alert" dir="auto">{name === undefined ? text("duty.vacantSomewhere") : text("duty.vacant", { name })}</p>
          {name === undefined ? (
            <a href={`/console/organizations/${organization}/groups/${group}`}>{text("duty.vacantShow")}</a>
          ) : (
            <Link to={`/c/${group}/details?in=${organization}`}>{text("duty.vacantShow")}</Link>
          )}
          <button type="button" class="icon" aria-label={text("close")} title={text("close")} onClick={() => dismiss(group)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </>
  );
}
