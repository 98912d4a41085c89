// What lies above the messenger: every menu and every dialog, at every width. Each is in the window as a whole, has the
// focus, and gives it back; Escape closes it alone.
import type { Locator, Page } from "@playwright/test";
import type { Hospital } from "./fixtures/hospital.js";
import { widths } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";

const people = { alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" } as const;

interface Above {
  readonly name: string;
  /** Where it is opened: the list, the group, or the group's details. */
  readonly on: "list" | "group" | "details";
  /** What has the focus before and after. */
  readonly from: (m: Messenger) => Locator;
  /** What is done after a click on that. */
  readonly then?: (m: Messenger) => Promise<void>;
  readonly role: "dialog" | "menu";
  /** Dialogs are opened only in windows that are narrower. */
  readonly below?: number;
}

const button = (m: Messenger, name: string) => m.page.getByRole("button", { name, exact: true });
const own = (m: Messenger) => button(m, "Your account");
const menuOf = (words: string) => (m: Messenger) =>
  m.message(words).getByRole("button", { name: "Message actions" });
const choose = (name: string) => (m: Messenger) => m.page.getByRole("menuitem", { name }).click();

const all: readonly Above[] = [
  { name: "the own menu", on: "list", from: own, role: "menu" },
  { name: "Settings", on: "list", from: own, then: choose("Settings"), role: "dialog" },
  { name: "Keyboard shortcuts", on: "list", from: own, then: choose("Keyboard shortcuts"), role: "dialog" },
  { name: "New group", on: "list", from: (m) => button(m, "New group"), role: "dialog" },
  { name: "the menu of a message", on: "group", from: menuOf("Here."), role: "menu" },
  { name: "Forward to", on: "group", from: menuOf("Here."), then: choose("Forward"), role: "dialog" },
  { name: "Recall", on: "group", from: menuOf("Here."), then: choose("Recall"), role: "dialog" },
  { name: "Message details", on: "group", from: menuOf("Here."), then: choose("Details"), role: "dialog", below: 1100 },
  { name: "Expiration", on: "group", from: (m) => button(m, "Expiration"), role: "menu" },
  { name: "a picture", on: "group", from: (m) => button(m, "View wound.png"), role: "dialog" },
  { name: "Edit group", on: "details", from: (m) => m.details.getByRole("button", { name: "Edit group" }), role: "dialog" },
  { name: "Add people", on: "details", from: (m) => m.details.getByRole("button", { name: "Add people" }), role: "dialog" },
  {
    name: "Remove from group", on: "details", role: "dialog",
    from: (m) => m.details.getByRole("button", { name: /Carol Clarke/ }),
  },
  { name: "Leave group", on: "details", from: (m) => m.details.getByRole("button", { name: "Leave" }), role: "dialog" },
];

/** wrong says what is not right with what lies above a page. */
function wrong(above: HTMLElement): string[] {
  const found: string[] = [];
  const inWindow = (element: Element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  };
  if (!inWindow(above)) found.push(`it lies at ${JSON.stringify(above.getBoundingClientRect())} in ${innerWidth} x ${innerHeight}`);
  const focus = document.activeElement;
  if (!focus || focus === above || !above.contains(focus)) found.push(`the focus is on ${focus?.outerHTML.slice(0, 100)}`);
  const field = above.querySelector("input:not(.unseen, [type=checkbox]), textarea, select");
  if (field && focus !== field) found.push(`the focus is not on its first field, but on ${focus?.outerHTML.slice(0, 100)}`);
  for (const element of [above, ...above.querySelectorAll<HTMLElement>("*")]) {
    const { overflowX, textOverflow } = getComputedStyle(element);
    const cut = element.scrollWidth > element.clientWidth + 1 && /hidden|clip|auto|scroll/.test(overflowX);
    if (cut && textOverflow !== "ellipsis" && !element.closest(".unseen, .stage") && !element.matches("input")) {
      found.push(`${element.outerHTML.slice(0, 100)} is cut at its side`);
    }
  }
  const items = [...above.querySelectorAll("[role^=menuitem]")].map((item) => item.getBoundingClientRect());
  items.forEach(({ top, left }, i) => {
    const before = items[i - 1];
    if (before && (top < before.bottom || left !== before.left)) found.push(`choice ${i} does not lie below the one before`);
  });
  if (items.length > 0 && above.getBoundingClientRect().width > 400) found.push("a menu is wider than its words");
  return found;
}

async function prepare({ alice, bob, carol }: Hospital<keyof typeof people>): Promise<string> {
  const { token } = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, carol.token] });
  await bob.tell({ token }, { attachment: new File([png(400, 300)], "wound.png", { type: "image/png" }) });
  await alice.tell({ token }, "Here.");
  return token;
}

const goes = async (page: Page, path: string, m: Messenger) => {
  await page.goto(path);
  if (path === "/") return m.isUpToDate();
  await expect(path.endsWith("/details") ? m.details.getByRole("listitem").filter({ hasText: "Carol" }) : m.message("Here.")).toBeVisible();
};

for (const width of widths) {
  test(`all that lies above the messenger fits, has the focus and gives it back, ${width} pixels wide`, async ({
    hospital, open,
  }) => {
    const everybody = await hospital(people);
    const group = `/c/${await prepare(everybody)}`;
    const page = await open(everybody.alice, "/", { viewport: { width, height: 640 } });
    const m = new Messenger(page);
    const where = { list: "/", group, details: `${group}/details` };
    for (const { name, on, from, then, role } of all.filter(({ below = Infinity }) => width < below)) {
      await test.step(name, async () => {
        await goes(page, where[on], m);
        const opener = from(m);
        await opener.focus();
        await opener.press("Enter");
        await then?.(m);
        const above = page.getByRole(role);
        await expect(above).toBeVisible();
        await expect.poll(() => above.evaluate(wrong), `${name}, ${width} pixels wide`).toEqual([]);
        await page.keyboard.press("Escape");
        await expect(above).toHaveCount(0);
        await expect(page).toHaveURL(where[on]);
        await expect(opener).toBeFocused();
      });
    }
  });
}

test("what had the focus may go: it stays in the dialog, or near where it was", async ({ hospital, open }) => {
  const everybody = await hospital(people);
  const { alice } = everybody;
  const group = `/c/${await prepare(everybody)}`;
  const other = await open(alice); // another device
  const page = await open(alice, `${group}/details`);
  const m = new Messenger(page);
  await m.details.getByRole("button", { name: /Carol Clarke/ }).click();
  await m.dialog.getByRole("button", { name: "Remove", exact: true }).press("Enter");
  await expect(m.dialog).toHaveCount(0);
  await expect(m.details.getByRole("listitem").filter({ hasText: "Carol Clarke" })).toHaveCount(0);
  const focused = () => page.evaluate(() => document.activeElement?.closest("aside, dialog")?.tagName);
  await expect.poll(focused).toBe("ASIDE");

  await m.own("Settings");
  const devices = m.dialog.getByRole("region", { name: "Devices" });
  await devices.getByRole("button", { name: "Sign out" }).press("Enter");
  await expect(devices.getByRole("listitem")).toHaveCount(1);
  await expect.poll(focused).toBe("DIALOG");
  await page.keyboard.press("Escape");
  await expect(m.dialog).toHaveCount(0);
  await expect(page).toHaveURL(`${group}/details`); // nothing behind it has closed
  await expect(other.getByLabel("Username")).toBeVisible(); // it has come to rest
});

test("signing out asks where something would be lost", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Is bed 12 free?");
  const m = new Messenger(await open(alice));
  await m.open("Bob Brown");
  await m.field.fill("It is");
  await m.own("Sign out");
  await expect(m.dialog).toContainText("You have unfinished messages.");
  await expect(m.dialog.getByRole("button", { name: "Cancel" })).toBeFocused();
  await m.page.keyboard.press("Escape");
  await expect(m.dialog).toHaveCount(0);
  await expect(m.field).toHaveValue("It is");
  await m.own("Sign out");
  await m.dialog.getByRole("button", { name: "Sign out" }).click();
  await expect(m.page.getByLabel("Username")).toBeVisible();
});
