import { Link } from "../kit/Link";
import { text, type Text } from "../text/text";
import { titleID, useArrival } from "./arrive";
import { Code } from "./Code";
import { operations, tags } from "./document";
import { guides } from "./guides";
import { Prose } from "./Prose";

/** The first call works as pasted: it takes nothing but a key. */
const firstCall = "getSelf";

const cards: readonly (readonly [id: string, title: Text, said: Text])[] = [
  ["sendMessage", "docs.cardSend", "docs.cardSendSaid"],
  ["getEvents", "docs.cardQueue", "docs.cardQueueSaid"],
  ["getMessageStatus", "docs.cardStatus", "docs.cardStatusSaid"],
];

/** Start says what the API is, shows a first call, and where one goes from there. */
export function Start() {
  useArrival();
  const first = operations.value.find(({ id }) => id === firstCall);
  return (
    <article class="first">
      <header>
        <h2 id={titleID} tabIndex={-1}>
          {text("docs.welcome")}
        </h2>
        <p class="lead">{text("docs.about")}</p>
      </header>
      {first && (
        <section class="try-first">
          <div>
            <h3>{text("docs.firstCall")}</h3>
            <p>{text("docs.firstCallSaid")}</p>
            <p>
              {text("docs.noKey")} <Link to="/docs/guides/keys">{text("docs.aboutKeys")}</Link>
            </p>
          </div>
          <Code call={first} open />
        </section>
      )}
      <section>
        <h3>{text("docs.next")}</h3>
        <ul class="cards">
          {cards.map(([id, title, said]) => (
            <li key={id}>
              <Link to={`/docs/${id}`}>
                <strong>{text(title)}</strong>
                <span>{text(said)}</span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>{text("docs.guides")}</h3>
        <ul class="many" lang="en">
          {guides.map(({ name, title }) => (
            <li key={name}>
              <Link to={`/docs/guides/${name}`}>{title}</Link>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>{text("docs.calls")}</h3>
        <dl lang="en">
          {tags.value.map(({ name, description }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
      <p>
        {text("docs.download")}{" "}
        <span translate={false}>
          <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi-3.0.json">OpenAPI 3.0</a>
        </span>
      </p>
    </article>
  );
}

/** Rules shows what the document says of all calls. */
export function Rules({ words }: { words: string }) {
  useArrival();
  return (
    <article class="guide">
      <header>
        <h2 id={titleID} tabIndex={-1}>
          {text("docs.rules")}
        </h2>
      </header>
      <div class="text">
        <Prose words={words} />
      </div>
    </article>
  );
}
