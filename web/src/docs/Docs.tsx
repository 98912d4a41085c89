import { useEffect, useRef, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Mark } from "../kit/House";
import { Icon } from "../kit/Icon";
import { Link } from "../kit/Link";
import { siteName } from "../kit/state/brand";
import { path } from "../kit/state/route";
import { session } from "../kit/state/session";
import { language, text } from "../text/text";
import { titleID } from "./arrive";
import { Call } from "./Call";
import { Contents } from "./Contents";
import { introduction, load, operations } from "./document";
import { Guide } from "./Guide";
import { guideAt } from "./guides";
import { Search } from "./Search";
import { Rules, Start } from "./Start";

/** Docs shows a list of guides and calls, and beside it the chosen one, or how one begins. */
export function Docs() {
  const [error, setError] = useState<unknown>();
  const [searches, setSearches] = useState(false);
  const [listedAt, list] = useState(""); // the address at which the list was opened, where the window has no room for it
  const listed = listedAt === path.value;
  const button = useRef<HTMLButtonElement>(null);
  const address = path.value.replace(/\/+$/, "");
  const [, , part = "", name = ""] = address.split("/");
  const chosen = operations.value.find(({ id }) => id === part);
  const guide = part === "guides" ? guideAt(name) : undefined;
  const title = part === "guides" && name === "rules" ? text("docs.rules") : (chosen?.summary ?? guide?.title ?? text("docs.title"));
  const get = () => {
    setError(undefined);
    load().catch(setError);
  };
  useEffect(get, []);
  useEffect(() => {
    document.title = `${title} · ${siteName()}`;
  }, [title, language.value]);
  useEffect(() => onKeys(() => setSearches(true)), []);
  useEffect(openForPrint, []);
  const close = () => {
    list("");
    button.current?.focus();
  };
  return (
    <div class={listed ? "docs listed" : "docs"}>
      <a class="skip" href={`#${titleID}`}>
        {text("docs.skip")}
      </a>
      <header class="bar">
        <button
          ref={button}
          type="button"
          class="icon"
          aria-label={text("docs.contents")}
          aria-expanded={listed}
          aria-controls="docs-contents"
          onClick={() => list(listed ? "" : path.value)}
        >
          <Icon name={listed ? "close" : "menu"} />
        </button>
        <h1>
          <Link to="/docs">
            <Mark /> <bdi>{siteName()}</bdi> {text("docs.title")}
          </Link>
        </h1>
        <button type="button" class="finder" onClick={() => setSearches(true)}>
          <Icon name="search" />
          <span>{text("docs.search")}</span>
          <kbd aria-hidden="true">/</kbd>
        </button>
        <a class="who" href="/" dir="auto">
          {session.value ? session.value.account.display_name : text("signIn")}
        </a>
      </header>
      <nav
        id="docs-contents"
        class="list"
        aria-label={text("docs.contents")}
        onKeyDown={(event) => {
          if (event.key === "Escape" && listed) close();
        }}
        onClick={(event) => {
          // It leads to what is shown already.
          if (listed && event.target instanceof Element && event.target.closest("a[aria-current]")) close();
        }}
      >
        <Contents shown={address} />
      </nav>
      <main>
        {error !== undefined && (
          <p role="alert" class="problem">
            {describe(error)}{" "}
            <button type="button" onClick={get}>
              {text("docs.again")}
            </button>
          </p>
        )}
        {error === undefined && introduction.value === undefined && <p role="status">{text("docs.loading")}</p>}
        {introduction.value !== undefined && <Shown part={part} name={name} words={introduction.value} />}
      </main>
      {searches && <Search onClose={() => setSearches(false)} />}
    </div>
  );
}

/** Shown is what an address leads to. */
function Shown({ part, name, words }: { part: string; name: string; words: string }) {
  const chosen = operations.value.find(({ id }) => id === part);
  const guide = part === "guides" ? guideAt(name) : undefined;
  if (part === "") return <Start />;
  if (chosen) return <Call key={chosen.id} call={chosen} />;
  if (guide) return <Guide key={guide.name} entry={guide} />;
  if (part === "guides" && name === "rules") return <Rules words={words} />;
  return (
    <p class="empty">
      {text("docs.missing")} <Link to="/docs">{text("docs.start")}</Link>
    </p>
  );
}

/** onKeys calls back for `/`, where nobody is writing and nothing lies over the page. */
function onKeys(search: () => void): () => void {
  const look = (event: KeyboardEvent) => {
    const isWriting = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (event.key !== "/" || isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search();
  };
  addEventListener("keydown", look);
  return () => removeEventListener("keydown", look);
}

/** openForPrint opens what is folded before the page is printed: paper can't be opened. */
function openForPrint(): () => void {
  const open = () => {
    for (const folded of document.querySelectorAll<HTMLDetailsElement>("main .text details")) folded.open = true;
  };
  addEventListener("beforeprint", open);
  return () => removeEventListener("beforeprint", open);
}
