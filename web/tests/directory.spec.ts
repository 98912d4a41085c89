// Finding somebody whose name one does not know.
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import type { Hospital, Person } from "./fixtures/hospital.js";
import { wide } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import type { Server } from "./fixtures/stage.js";
import { expect, test } from "./fixtures/test.js";

/** post gives people a title and a department. */
async function post(server: Server, { organization }: Hospital<never>, person: Person, title: string, department: string): Promise<void> {
  await server.operator.in(organization).updateUser(person.token, { title, department });
}

async function isForEverybody(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)).toEqual([]);
  expect(await page.evaluate(wide)).toEqual([]);
}

test("somebody new sees how to begin, and finds people by their departments", async ({ server, hospital, open }) => {
  const house = await hospital({ nora: "Nora Novak", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake", eve: "Eve Ellis" });
  const { nora, bob, carol, dan } = house;
  await post(server, house, bob, "Surgeon", "Surgery");
  await post(server, house, carol, "Nurse", "surgery");
  await post(server, house, dan, "Nurse", "Emergency");
  const n = new Messenger(await open(nora));
  await expect(n.list.getByText("No conversations yet.")).toBeVisible();
  const main = n.page.getByRole("main");
  await expect(main.getByText(`Others find you as Nora Novak, ${nora.username}.`)).toBeVisible();
  await expect(main.getByRole("button")).toHaveText(["Write to someone", "Create a group"]);
  await isForEverybody(n.page);
  await picture(n.page, "welcome");
  await n.page.setViewportSize({ width: 360, height: 740 });
  await isForEverybody(n.page);
  await n.list.getByRole("button", { name: "Create a group" }).click();
  await expect(n.page.getByRole("dialog", { name: "New group" })).toBeVisible();
  await n.page.keyboard.press("Escape");

  await n.list.getByRole("button", { name: "New message" }).click();
  await expect(n.search).toBeFocused();
  const directory = n.list.getByRole("group", { name: "Directory" });
  await expect(directory.getByRole("button")).toHaveText([
    /Emergency 1$/, /Dan DrakeNurse · Emergency$/, /Surgery 2$/i, /Bob BrownSurgeon · Surgery$/, /Carol ClarkeNurse · surgery$/,
    /No department 2$/, /Eve Ellis/, /operator/i,
  ]);
  await isForEverybody(n.page);
  await picture(n.page, "directory");
  await n.page.keyboard.press("ArrowDown");
  await n.page.keyboard.press("Enter"); // closes the department
  await expect(directory.getByRole("button", { name: "Dan Drake" })).toHaveCount(0);
  await n.page.keyboard.press("Enter");
  await n.page.keyboard.press("ArrowDown");
  await expect(directory.getByRole("button", { name: "Dan Drake" })).toBeFocused();
  await n.page.keyboard.press("Enter");
  await n.shows("Dan Drake");
  await expect(main.getByText("Nurse · Emergency", { exact: true })).toBeVisible();
  await n.write("Hello.");
  await n.page.getByRole("button", { name: "Back" }).click();
  await expect(n.entry("Dan Drake")).toBeVisible();
  await expect(n.list.getByText("General Hospital")).toBeVisible();
  await n.list.getByRole("button", { name: "New message" }).click();
  await expect(directory).toBeVisible();
  await n.page.keyboard.press("Escape");
  await expect(n.entry("Dan Drake")).toBeVisible();
});

test("a large directory is loaded in pages, department by department", async ({ server, hospital, open }) => {
  test.slow(); // it takes many people
  const { organization, alice } = await hospital({ alice: "Alice Ames" });
  const there = server.operator.in(organization);
  const number = (i: number) => String(i).padStart(3, "0");
  let n = 0;
  for (const [department, size] of [["", 30], ["Cardiology", 210], ["Neurology", 205], ["Urology", 5]] as const) {
    for (const end = n + size; n < end; n++) {
      await there.createUser({ username: `n${number(n)}-${server.next()}`, display_name: `Nurse ${number(n)}`, department });
    }
  }
  const a = new Messenger(await open(alice));
  await a.list.getByRole("button", { name: "New message" }).click();
  const directory = a.list.getByRole("group", { name: "Directory" });
  await expect(directory).toHaveAttribute("aria-busy", "false");
  await expect(directory.getByRole("button")).toHaveText([/Cardiology 210$/, /Neurology 205$/, /Urology 5$/, /No department 31$/]);
  await directory.getByRole("button", { name: /^Neurology/ }).click();
  const people = directory.getByRole("listitem");
  await expect(people).toHaveCount(100);
  await directory.getByRole("button", { name: "More people" }).click();
  await expect(people).toHaveCount(200);
  await directory.getByRole("button", { name: "More people" }).click();
  await expect(people).toHaveText(Array.from({ length: 205 }, (_, i) => new RegExp(`Nurse ${number(240 + i)}`)));
  await isForEverybody(a.page);
  await a.search.fill("nurse");
  const found = a.list.getByRole("group", { name: "People" });
  await expect(found.getByRole("listitem")).toHaveCount(5);
  await found.getByRole("button", { name: "More people" }).click();
  await expect(found.getByRole("listitem")).toHaveCount(30);
  await found.getByRole("button", { name: "More people" }).click();
  await expect(found.getByRole("listitem")).toHaveCount(60);
});
