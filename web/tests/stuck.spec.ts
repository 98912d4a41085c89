// What is stuck: whose it is, what that means, and what to do.
import { Console } from "./fixtures/console.js";
import { admit } from "./fixtures/hospital.js";
import { expect, operator, test } from "./fixtures/test.js";

test("each queue that nobody reads leads to whose it is, and says what to do", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await alice.tell(bob, "Is bed 12 free?");
  await bob.client.getSelf(); // his program is active, and leaves what comes for it where it is
  const carol = await admit(server, organization, "carol", "Carol Clarke");
  await alice.tell(carol, "Are you there?");
  const c = new Console(await open(operator, `/console/organizations/${organization}/stuck`));
  await c.elevate();
  const list = "Queues not being read";
  await c.listing(list).getByLabel("Older than").selectOption("Any age");
  await expect(c.row(list, "Carol Clarke")).toContainText("Has never signed in.");
  await expect(c.row(list, "Carol Clarke")).toContainText("Set a password, or create an API key for a program.");
  await expect(c.row(list, "Carol Clarke")).toContainText("Never");
  await expect(c.row(list, "Bob Brown")).toContainText(/Was last active in the hour when the events arrived|Is active, but doesn’t fetch/);
  // The hour is all that is known, and all that is said.
  const seen = c.row(list, "Bob Brown").getByTitle(/^Between .* and /);
  await expect(seen).toHaveText(/\d+\s[AP]M$/);
  await expect(c.main.getByText("“Last seen” is known to the hour.", { exact: false })).toBeVisible();

  await c.row(list, "Carol Clarke").getByRole("link", { name: "Carol Clarke" }).click();
  await expect(c.page).toHaveURL(`/console/organizations/${organization}/people/${carol.token}`);
  await expect(c.main.getByText("Has never signed in.")).toBeVisible();
});

test("a program that is connected, and confirms nothing, is told apart", async ({ hospital, open }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const ended = new AbortController();
  const first = bob.client.events({ signal: ended.signal }).next();
  await alice.tell(bob, "Is bed 12 free?");
  await first;
  const c = new Console(await open(operator, `/console/organizations/${organization}/stuck`));
  await c.elevate();
  await c.listing("Queues not being read").getByLabel("Older than").selectOption("Any age");
  await expect(c.row("Queues not being read", "Bob Brown")).toContainText("Connected, but doesn’t confirm what it receives.");
  ended.abort();
});

test.describe("on a server of its own", () => {
  test.use({ serve: [] }); // of one that has many queues, the list begins with others

  test("the operator's list leads to the person in an organization of hers", async ({ hospital, open }) => {
    const { quist, bob, organization } = await hospital({ quist: "Kunigunde Quist", bob: "Bob Brown" });
    await bob.tell(quist, "Is bed 12 free?");
    const c = new Console(await open(operator, "/console/stuck"));
    await c.elevate();
    await c.listing("Queues not being read").getByLabel("Older than").selectOption("Any age");
    await c.row("Queues not being read", "Kunigunde Quist").getByRole("link").click();
    await expect(c.page).toHaveURL(`/console/organizations/${organization}/people/${quist.token}`);
  });
});
