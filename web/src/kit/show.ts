import { type ComponentChild, render } from "preact";
import { add } from "../text/text";

/** show puts a page in the place of what page.html shows before there is a script, all at once. */
export function show(page: ComponentChild): void {
  document.body.replaceChildren();
  render(page, document.body);
  void import("../text/late").then(({ late }) => add(late)).catch(() => undefined); // describe does without
}
