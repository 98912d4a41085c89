import { text } from "../text/text";
import { visited } from "./state/visit";

/** Visited says of a message that one went to that it is not there any more. */
export function Visited({ of: key }: { of: string }) {
  const there = visited.value?.key === key ? visited.value.state : "there";
  if (there === "there") return null;
  return <p class="visited" role="status">{text(there === "recalled" ? "visitedRecalled" : "visitedGone")}</p>;
}
