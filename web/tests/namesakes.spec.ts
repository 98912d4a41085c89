// Telling people of one name apart.
import type { Locator } from "@playwright/test";
import { type Hospital, type Person, admit } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import type { Server } from "./fixtures/stage.js";
import { expect, test } from "./fixtures/test.js";

/** post gives people a title and a department. */
async function post(server: Server, { organization }: Hospital<never>, person: Person, title: string, department: string): Promise<void> {
  await server.operator.in(organization).updateUser(person.token, { title, department });
}

test("two people of one name are told apart wherever they could be mixed up", async ({ server, hospital, open }) => {
  const house = await hospital({ alice: "Alice Ames", bob: "Bob Brown", other: "Bob Brown", third: "Bob Brown" });
  const { alice, bob, other, third, organization } = house;
  await post(server, house, bob, "Surgeon", "Surgery");
  await post(server, house, other, "Nurse", "Emergency");
  await post(server, house, third, "Nurse", "Emergency");
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, other.token, third.token] });
  const sent = await third.tell(ward, "It was I.");
  await other.tell(alice, "It was not I.");
  await bob.tell(alice, "Nor I.");
  const a = new Messenger(await open(alice));
  const all = ["Surgeon · Surgery", `Nurse · Emergency · ${other.username}`, `Nurse · Emergency · ${third.username}`];
  const each = all.map((beside) => new RegExp(`Bob Brown ?${beside}`));
  const hasEach = async (where: Locator) => {
    for (const one of each) await expect(where.filter({ hasText: one })).toHaveCount(1);
  };

  await a.search.fill("bob");
  await hasEach(a.list.getByRole("group", { name: "People" }).getByRole("listitem"));
  await a.search.fill("");
  await a.list.getByRole("button", { name: "New message" }).click();
  await hasEach(a.list.getByRole("group", { name: "Directory" }).getByRole("listitem"));
  await a.page.keyboard.press("Escape");

  await a.open("Ward 3");
  await a.act("It was I.", "Details");
  const info = a.page.getByLabel("Message details");
  await expect(info.getByRole("definition").filter({ hasText: each[2] ?? "" })).toBeVisible();
  await hasEach(a.details.getByRole("region", { name: "Group members" }).getByRole("listitem"));
  await picture(a.page, "namesakes");
  await a.act("It was I.", "Forward");
  await expect(a.dialog.getByRole("listitem").filter({ hasText: each[0] ?? "" })).toHaveCount(1);
  await expect(a.dialog.getByRole("listitem").filter({ hasText: each[1] ?? "" })).toHaveCount(1);
  await a.page.keyboard.press("Escape");
  await a.list.getByRole("button", { name: "New group" }).click();
  await a.dialog.getByRole("searchbox", { name: "Add people" }).fill("bob");
  await hasEach(a.dialog.getByRole("listitem"));
  await a.page.keyboard.press("Escape");
  expect(sent).not.toBe("");

  const n = new Messenger(await open(alice, `/c/${other.token}`));
  await n.shows("Bob Brown");
  await n.search.fill("bob");
  await expect(n.page.getByRole("main").getByText(`Nurse · Emergency · ${other.username}`)).toBeVisible();
  const late = await admit(server, organization, "late", "Bob Brown"); // without a title
  const l = new Messenger(await open(alice, `/c/${late.token}`));
  await expect(l.page.getByRole("main").getByText(late.username, { exact: true })).toBeVisible();
});
