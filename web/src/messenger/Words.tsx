import { pieces } from "./state/links";
import { blocks } from "./state/quotes";

/** Words shows what somebody wrote: quoted lines apart, and addresses as links. */
export function Words({ of }: { of: string }) {
  return (
    <div class="body" dir="auto">
      {blocks(of).map(({ quoted, text }, i) =>
        quoted ? (
          <blockquote key={i} dir="auto">
            <Linked text={text} />
          </blockquote>
        ) : (
          <Linked key={i} text={text} />
        ),
      )}
    </div>
  );
}

function Linked({ text }: { text: string }) {
  return (
    <>
      {pieces(text).map((piece, i) =>
        typeof piece === "string" ? (
          piece
        ) : (
          // Apart from the direction of what is around it, which could show it as another address.
          <a key={i} href={piece.href} dir="ltr" target={piece.href.startsWith("http") ? "_blank" : undefined} rel="noopener noreferrer">
            {piece.text}
          </a>
        ),
      )}
    </>
  );
}
