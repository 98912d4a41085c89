import { Marked } from "./Marked";
import { pieces } from "./state/links";
import { blocks } from "./state/quotes";

/** Words shows what somebody wrote: quoted lines apart, addresses as links, and marked what was looked for. */
export function Words({ of, sought = "" }: { of: string; sought?: string | undefined }) {
  return (
    <div class="body" dir="auto">
      {blocks(of).map(({ quoted, text }, i) =>
        quoted ? (
          <blockquote key={i} dir="auto">
            <Linked text={text} sought={sought} />
          </blockquote>
        ) : (
          <Linked key={i} text={text} sought={sought} />
        ),
      )}
    </div>
  );
}

function Linked({ text, sought }: { text: string; sought: string }) {
  return (
    <>
      {pieces(text).map((piece, i) =>
        typeof piece === "string" ? (
          <Marked key={i} text={piece} words={sought} />
        ) : (
          // Apart from the direction of what is around it, which could show it as another address.
          <a key={i} href={piece.href} dir="ltr" target={piece.href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer">
            <Marked text={piece.text} words={sought} />
          </a>
        ),
      )}
    </>
  );
}
