/** Prose shows what the document says, in English: paragraphs, `code` and **strong** words. */
export function Prose({ words }: { words: string }) {
  return (
    <div class="prose" lang="en">
      {words.trim().split(/\n\s*\n/).map((paragraph, i) => (
        <p key={i}>{spans(paragraph)}</p>
      ))}
    </div>
  );
}

/** spans are the same within a paragraph. */
export function spans(words: string) {
  return words.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    if (part.startsWith("`")) return <code key={i}>{part.slice(1, -1)}</code>;
    if (part.startsWith("**")) return <strong key={i}>{part.slice(2, -2)}</strong>;
    return part;
  });
}
