import { Link } from "../kit/Link";
import { operationAt } from "./document";
import type { Inline } from "./tree";

/** Inlines shows words of a guide. A call in them leads to its page. */
export function Inlines({ of }: { of: readonly Inline[] }) {
  return <>{of.map((one, i) => <One key={i} of={one} />)}</>;
}

function One({ of }: { of: Inline }) {
  if (typeof of === "string") return <>{of}</>;
  switch (of.kind) {
    case "code": {
      const call = /^(GET|POST|PUT|DELETE) \//.test(of.text) ? operationAt(of.text) : undefined;
      const code = <code>{of.text}</code>;
      return call ? <Link to={`/docs/${call.id}`}>{code}</Link> : code;
    }
    case "strong":
      return <strong><Inlines of={of.words} /></strong>;
    case "em":
      return <em><Inlines of={of.words} /></em>;
    case "break":
      return <br />;
    case "file": // beside the guides, where the page doesn't lead
      return <><Inlines of={of.words} /> (<code>{of.path}</code>)</>;
    case "link":
      if (of.to.startsWith("#")) return <a href={of.to}><Inlines of={of.words} /></a>;
      if (of.to.startsWith("/")) return <Link to={of.to}><Inlines of={of.words} /></Link>;
      return <a href={of.to} rel="noopener noreferrer"><Inlines of={of.words} /></a>;
  }
}
