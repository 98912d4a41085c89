import { useEffect, useState } from "preact/hooks";
import { describe } from "../kit/describe";
import { Link } from "../kit/Link";
import { text } from "../text/text";
import { titleID, useArrival } from "./arrive";
import { operationAt } from "./document";
import { Anchor } from "./Fields";
import { loadGuide } from "./guides";
import { Inlines } from "./Inlines";
import { Source } from "./Source";
import type { Block, Guide as Tree, GuideEntry, Heading, Inline } from "./tree";

/** Guide shows one of the documents, and beside it what parts it has. */
export function Guide({ entry }: { entry: GuideEntry }) {
  const [tree, setTree] = useState<Tree>();
  const [error, setError] = useState<unknown>();
  const get = () => {
    setError(undefined);
    loadGuide(entry).then(setTree, setError);
  };
  useEffect(get, [entry]);
  if (error !== undefined) {
    return (
      <p role="alert" class="problem">
        {describe(error)}{" "}
        <button type="button" onClick={get}>
          {text("docs.again")}
        </button>
      </p>
    );
  }
  return tree ? <Shown tree={tree} /> : <p role="status">{text("loading")}</p>;
}

function Shown({ tree }: { tree: Tree }) {
  useArrival();
  const parts = tree.blocks.filter((block): block is Heading => block.kind === "heading" && block.depth === 2);
  return (
    <article class="guide">
      <header lang="en">
        <h2 id={titleID} tabIndex={-1}>
          {tree.title}
        </h2>
      </header>
      {parts.length > 1 && (
        <nav class="parts" aria-label={text("docs.onThisPage")}>
          <strong>{text("docs.onThisPage")}</strong>
          <ul lang="en">
            {parts.map(({ id, words }) => (
              <li key={id}>
                <a href={`#${encodeURIComponent(id)}`}>{plain(words)}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div class="text" lang="en">
        <Blocks of={tree.blocks} />
      </div>
    </article>
  );
}

function Blocks({ of }: { of: readonly Block[] }) {
  return <>{of.map((block, i) => <One key={i} of={block} />)}</>;
}

function One({ of }: { of: Block }) {
  switch (of.kind) {
    case "heading":
      return <Part of={of} />;
    case "paragraph":
      return <p><Inlines of={of.words} /></p>;
    case "list": {
      const items = of.items.map((item, i) => <li key={i}><Blocks of={item} /></li>);
      return of.ordered ? <ol>{items}</ol> : <ul>{items}</ul>;
    }
    case "source":
      return <Source words={of.text} language={of.language} label={text("docs.example")} />;
    case "table":
      return <Table head={of.head} rows={of.rows} />;
  }
}

/** Part is a heading; where it names a call, it leads to the call's page. */
function Part({ of }: { of: Heading }) {
  const Level = of.depth > 2 ? "h4" : "h3";
  const words = plain(of.words);
  const [, method = "", path = ""] = /\b(GET|POST|PUT|DELETE)\b.*? (\/\S+)/.exec(words) ?? [];
  const call = path && operationAt(`${method} ${path}`);
  return (
    <div class="part">
      <Level id={of.id} tabIndex={-1}>
        <Inlines of={of.words} />
      </Level>
      <Anchor id={of.id} name={words} />
      {call && <Link to={`/docs/${call.id}`}>{text("docs.toCall")}</Link>}
    </div>
  );
}

/** Table goes on at its side where it is wider than the window. One without any heading has only rows. */
function Table({ head, rows }: { head: readonly (readonly Inline[])[]; rows: readonly (readonly (readonly Inline[])[])[] }) {
  const isNamed = head.some((cell) => cell.length > 0);
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={text("docs.table")}>
      <table>
        {isNamed && (
          <thead>
            <tr>
              {head.map((cell, i) => (cell.length > 0 ? <th key={i} scope="col"><Inlines of={cell} /></th> : <td key={i} />))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => <td key={j}><Inlines of={cell} /></td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** plain is what words say, without how they look. */
function plain(words: readonly Inline[]): string {
  return words.map((one) => {
    if (typeof one === "string") return one;
    if (one.kind === "code") return one.text;
    return one.kind === "break" ? " " : plain(one.words);
  }).join("");
}
