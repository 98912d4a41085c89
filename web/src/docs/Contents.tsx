import { Link } from "../kit/Link";
import { language, text } from "../text/text";
import { operations, tags } from "./document";
import { guides } from "./guides";

/** Contents lists guides and calls by their tags. What is shown is open. */
export function Contents({ shown }: { shown: string }) {
  return (
    <div class="contents">
      <p>
        <Link to="/docs" current={shown === "/docs"}>
          {text("docs.start")}
        </Link>
      </p>
      <details open={shown.startsWith("/docs/guides/")}>
        <summary>{text("docs.guides")}</summary>
        <ul lang="en">
          {guides.map(({ name, title }) => (
            <li key={name}>
              <Link to={`/docs/guides/${name}`} current={shown === `/docs/guides/${name}`}>
                {title}
              </Link>
            </li>
          ))}
          <li lang={language.value}>
            <Link to="/docs/guides/rules" current={shown === "/docs/guides/rules"}>
              {text("docs.rules")}
            </Link>
          </li>
        </ul>
      </details>
      {tags.value.map(({ name }) => {
        const mine = operations.value.filter(({ tag }) => tag === name);
        return mine.length === 0 ? null : (
          <details key={name} open={mine.some(({ id }) => shown === `/docs/${id}`)}>
            <summary lang="en">{name}</summary>
            <ul lang="en">
              {mine.map(({ id, method, summary }) => (
                <li key={id}>
                  <Link to={`/docs/${id}`} current={shown === `/docs/${id}`}>
                    <span>{summary}</span>
                    <Method of={method} />
                  </Link>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </div>
  );
}

/** Method is the sign of what a call does, in its colour. */
export function Method({ of }: { of: string }) {
  return (
    <span class={`method ${of.toLowerCase()}`} translate={false}>
      {of}
    </span>
  );
}
