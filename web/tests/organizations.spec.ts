// Somebody who is in several organizations.
import { admit } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

test("one is in several organizations, and sees all of them or one", async ({ server, hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const clinic = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  await server.operator.addToOrganization(alice.token, { organization: clinic });
  const dana = await admit(server, clinic, "dana", "Dana Brown");
  await bob.tell(alice, "Good morning.");
  await dana.tell(alice, "Good morning.");
  const a = new Messenger(await open(alice));
  const b = new Messenger(await open(bob));
  await expect(b.list.getByRole("listitem")).toHaveText([/Alice Ames/]);

  const listed = a.list.getByRole("listitem");
  const choice = a.list.getByRole("combobox", { name: "Organization" });
  await expect(listed).toHaveText([/Dana Brown/, /Bob Brown/]);
  await expect(choice.getByRole("option")).toHaveText(["All organizations", "Clinic by the Lake", "General Hospital"]);
  await a.open("Dana Brown");
  await expect(a.page.getByRole("main").getByText("Clinic by the Lake")).toBeVisible();
  await choice.selectOption("General Hospital");
  await expect(listed).toHaveText([/Bob Brown/]);
  await expect(a.page.getByRole("main").getByText("Select a conversation, or search for someone to write to.")).toBeVisible();
  await a.search.fill("brown");
  const foundBob = new RegExp(`Bob Brown${bob.username}General Hospital$`);
  await expect(listed).toHaveText([foundBob]);
  await choice.selectOption("All organizations");
  await expect(listed).toHaveCount(2);
  await expect(listed.filter({ hasText: foundBob })).toBeVisible();
  await expect(listed.filter({ hasText: new RegExp(`Dana Brown${dana.username}Clinic by the Lake$`) })).toBeVisible();
  for (const width of [1280, 800, 360]) await inBothThemes(a.page, "organizations", width);
  await a.search.press("Escape");

  await a.list.getByRole("button", { name: "New group" }).click();
  await a.dialog.getByLabel("Organization").selectOption("General Hospital");
  await a.dialog.getByLabel("Group name").fill("Everybody");
  await a.dialog.getByRole("searchbox", { name: "Add people" }).fill("brown");
  await expect(a.dialog.getByRole("listitem")).toHaveText([/Bob Brown/]);
  await a.dialog.getByRole("button", { name: "Bob Brown" }).click();
  await inBothThemes(a.page, "organizations-new-group", 360);
  await a.dialog.getByRole("button", { name: "Create group" }).click();
  await expect(a.page.getByRole("main").getByText("2 people · General Hospital", { exact: true })).toBeVisible();
  await expect(b.entry("Everybody")).toBeVisible();
  await expect(b.list.getByRole("combobox")).toHaveCount(0); // who is in one chooses none
});

test("what one writes stays in the organization in which one has begun, whatever comes in another", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const clinic = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  for (const { token } of [alice, bob]) await server.operator.addToOrganization(token, { organization: clinic });
  await bob.tell(alice, "On the ward.");
  const listed = new Messenger(await open(alice));
  const addressed = new Messenger(await open(alice, `/c/${bob.token}`)); // which names no organization
  await listed.open("Bob Brown");
  for (const a of [listed, addressed]) {
    await expect(a.list.getByRole("combobox", { name: "Organization" })).toBeVisible();
    await a.has("On the ward.");
    await a.field.fill("Coming.");
  }
  await bob.client.in(clinic).sendMessage({ recipient: alice.token, body: "At the lake." });
  for (const a of [listed, addressed]) {
    await expect(a.entry("At the lake.")).toBeVisible();
    await expect(a.field).toHaveValue("Coming.");
  }
  await addressed.field.press("Enter");
  await listed.has("On the ward.", "Coming.");
  expect((await bob.client.in(clinic).getHistory(alice.token)).results).toHaveLength(1);

  await expect(listed.page).toHaveURL(`/c/${bob.token}?in=${organization}`);
  const there = new Messenger(await open(alice, `/c/${bob.token}?in=${clinic}`));
  await there.has("At the lake.");
  await there.page.goto(`/c/${bob.token}?in=${alice.token}`); // which is no organization
  await expect(there.page.getByText("This conversation doesn’t exist")).toBeVisible();
});

test("who is taken out of an organization has nothing of it left, and is told", async ({ server, hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const clinic = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  for (const { token } of [alice, bob]) await server.operator.addToOrganization(token, { organization: clinic });
  await bob.tell(alice, "On the ward.");
  await bob.client.in(clinic).sendMessage({ recipient: alice.token, body: "At the lake." });
  const a = new Messenger(await open(alice));
  await a.isUpToDate();
  await expect(a.list.getByRole("combobox", { name: "Organization" })).toBeVisible();
  await a.entry("At the lake.").click();
  await a.has("At the lake.");
  await server.operator.removeFromOrganization(alice.token, clinic);
  await expect(a.page.getByText("You’re no longer a member of Clinic by the Lake.")).toBeVisible();
  await expect(a.page.getByText("At the lake.")).toHaveCount(0);
  await expect(a.page).toHaveURL("/");
  await a.open("Bob Brown");
  await a.has("On the ward.");
});
