import { pieces } from "../state/links";

/** Words shows what somebody wrote: quoted lines apart, and addresses as links. */
export function Words({ of }: { of: string }) {
  const blocks = of.match(/(?:^>.*(?:\n|$))+|(?:^(?!>).*(?:\n|$))+/gm) ?? [];
  return (
    <div class="body" dir="auto">
      {blocks.map((block, i) =>
        block.startsWith(">") ? (
          <blockquote key={i} dir="auto">
            <Linked text={block.replace(/^> ?/gm, "").trimEnd()} />
          </blockquote>
        ) : (
          <Linked key={i} text={i > 0 || blocks.length > 1 ? block.replace(/^\n+|\n+$/g, "") : block} />
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
          <a key={i} href={piece.href} target="_blank" rel="noopener noreferrer">
            {piece.text}
          </a>
        ),
      )}
    </>
  );
}
