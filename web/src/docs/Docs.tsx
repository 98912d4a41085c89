import { useEffect, useRef, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Field } from "../kit/Field";
import { House } from "../kit/House";
import { Link } from "../kit/Link";
import { siteName } from "../kit/state/brand";
import { path } from "../kit/state/route";
import { session } from "../kit/state/session";
import { language, text } from "../text/text";
import { Call } from "./Call";
import { find, introduction, load, operations, tags } from "./document";
import { Prose } from "./Prose";

/** Docs shows the calls by their tags, and beside them the chosen one or what holds for all. */
export function Docs() {
  const [words, setWords] = useState("");
  const [error, setError] = useState<unknown>();
  const id = path.value.split("/")[2];
  const chosen = operations.value.find((one) => one.id === id);
  const main = useRef<HTMLElement>(null);
  const get = () => {
    setError(undefined);
    load().catch(setError);
  };
  useEffect(get, []);
  useEffect(() => {
    document.title = `${chosen?.summary ?? text("docs.title")} · ${siteName()}`;
  }, [chosen, language.value]);
  useEffect(() => main.current?.scrollTo(0, 0), [chosen]);
  const found = find(words);
  const open = id !== undefined || error !== undefined || introduction.value === undefined; // in a small window, before the list
  return (
    <div class={open ? "docs open" : "docs"}>
      <nav aria-label={text("docs.calls")}>
        <House />
        <header>
          <h1>
            <Link to="/docs">{text("docs.title")}</Link>
          </h1>
          <a href="/">{session.value ? session.value.account.display_name : text("signIn")}</a>
        </header>
        <Field
          label={text("docs.search")}
          type="search"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <div class="calls">
          {introduction.value !== undefined && found.length === 0 && <p class="empty">{text("docs.nothing")}</p>}
          {tags.value.map(({ name }) => {
            const mine = found.filter(({ tag }) => tag === name);
            return mine.length === 0 ? null : (
              <section key={name} lang="en">
                <h2>{name}</h2>
                <ul>
                  {mine.map((one) => (
                    <li key={one.id}>
                      <Link to={`/docs/${one.id}`} current={one.id === id}>
                        <span class={`method ${one.method.toLowerCase()}`}>{one.method}</span>
                        <span>{one.summary}</span>
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </div>
      </nav>
      <main ref={main} tabIndex={-1}>
        {error !== undefined && (
          <p role="alert" class="problem">
            {describe(error)}{" "}
            <button type="button" onClick={get}>
              {text("docs.again")}
            </button>
          </p>
        )}
        {error === undefined && introduction.value === undefined && <p role="status">{text("docs.loading")}</p>}
        {chosen && <Call key={chosen.id} call={chosen} />}
        {introduction.value !== undefined && id && !chosen && (
          <p class="empty">
            {text("docs.nothing")} <Link to="/docs">{text("docs.title")}</Link>
          </p>
        )}
        {introduction.value !== undefined && !id && <Introduction words={introduction.value} />}
      </main>
    </div>
  );
}

function Introduction({ words }: { words: string }) {
  return (
    <>
      <p>
        {text("docs.download")}{" "}
        <span translate={false}>
          <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi-3.0.json">OpenAPI 3.0</a>
        </span>
      </p>
      <Prose words={words} />
      <dl lang="en">
        {tags.value.map(({ name, description }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
