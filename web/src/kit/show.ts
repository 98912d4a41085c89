import { type ComponentChild, render } from "preact";

/** show puts a page in the place of what page.html shows before there is a script, all at once. */
export function show(page: ComponentChild): void {
  document.body.replaceChildren();
  render(page, document.body);
}
