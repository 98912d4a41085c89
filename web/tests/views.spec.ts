// Every view is for everybody: in both themes, at any width, in any language.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { names } from "./fixtures/clinic.js";
import { strange, wide, widths } from "./fixtures/look.js";
import { picture } from "./fixtures/picture.js";
import { expect } from "./fixtures/test.js";
import { test, views } from "./fixtures/views.js";

// What is wrong is told with where it is. A trace would tell no more, and takes a fifth of the time.
test.use({ trace: "off", screenshot: "only-on-failure" });

/** What is judged of WCAG 2.2, A and AA: all in the light theme; in the dark one what colours change. */
const rules = {
  light: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
} as const;

for (const view of views) {
  test(`the view ${view.name} is for everybody`, async ({ show }) => {
    const page = await show(view);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of widths) {
        const where = `${view.name}-${colorScheme}-${width}`;
        await page.setViewportSize({ width, height: 800 });
        expect.soft(await judge(page, colorScheme), where).toEqual([]);
        expect.soft(await page.evaluate(wide), where).toEqual([]);
        await picture(page, where);
      }
    }

    // The same page in the pseudo-language, whose texts are longer: what would stay in English shows.
    await speak(page, "en-XA");
    const found = await page.evaluate(strange);
    expect.soft(found.filter(({ words }) => !names.includes(words)), "texts that are in no dictionary").toEqual([]);
    await expect.soft(page).toHaveTitle(/\[|^Signet$/); // the name alone is the title that a page begins with
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await page.evaluate(wide), `${view.name}-en-XA-${width}`).toEqual([]);
    }
  });
}

/** judge is what axe-core finds against the rules of a theme, with some of the elements concerned. */
async function judge(page: Page, theme: keyof typeof rules): Promise<string[]> {
  const { type, values } = rules[theme];
  const { violations } = await new AxeBuilder({ page, axeSource: "0" }) // the page has it already
    .setLegacyMode() // in the page itself, and not in one more
    .options({ runOnly: { type, values: [...values] }, resultTypes: ["violations"] })
    .analyze();
  return violations.map(({ id, help, nodes }) => {
    const some = nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 200)} ${any[0]?.message ?? ""}`);
    return `${id}: ${help}: ${some.join("; ")}`;
  });
}

/** speak has the browser prefer another language, as if somebody had changed its settings. */
async function speak(page: Page, tag: string): Promise<void> {
  await page.evaluate((to) => {
    Object.defineProperty(navigator, "languages", { value: [to] });
    dispatchEvent(new Event("languagechange"));
  }, tag);
  await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(tag);
}
