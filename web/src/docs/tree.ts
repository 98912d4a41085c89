// A guide as web/guides.mjs makes it of Markdown, when the pages are built.

export type Inline =
  | string
  | { kind: "code"; text: string }
  | { kind: "strong" | "em"; words: readonly Inline[] }
  /** Within the page, or to another host. */
  | { kind: "link"; to: string; words: readonly Inline[] }
  /** A file beside the guides, which the page does not have. */
  | { kind: "file"; path: string; words: readonly Inline[] }
  | { kind: "break" };

export interface Heading {
  kind: "heading";
  depth: number;
  id: string;
  words: readonly Inline[];
}

export type Block =
  | Heading
  | { kind: "paragraph"; words: readonly Inline[] }
  | { kind: "list"; ordered: boolean; items: readonly (readonly Block[])[] }
  | { kind: "source"; language: string; text: string }
  | { kind: "table"; head: readonly (readonly Inline[])[]; rows: readonly (readonly (readonly Inline[])[])[] };

export interface Guide {
  title: string;
  blocks: readonly Block[];
}

/** What a guide is known by before it is loaded. */
export interface GuideEntry {
  name: string;
  title: string;
  load: () => Promise<{ default: Guide }>;
}

/** A part of a guide, from one heading to the next, for the search. */
export interface Section {
  guide: string;
  id: string;
  heading: string;
  /** Its words without examples. */
  text: string;
}

/** What the guides say of calls and of the codes of errors. */
export interface Notes {
  /** By method and path, as the document writes them. */
  calls: Readonly<Record<string, { guide: string; id: string; codes: readonly string[] }>>;
  codes: Readonly<Record<string, { status: string; meaning: readonly Inline[]; advice: readonly Inline[] }>>;
}
