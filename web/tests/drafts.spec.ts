// What is being written is kept until it is sent, and ends with the session.
import { password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { expect, loseSession, test } from "./fixtures/test.js";

const kept = () => JSON.stringify({ ...localStorage });

test("a draft is there after a reload, with what it answers and how it is sent", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  await carol.tell(alice, "Good morning.");
  const asked = await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await a.act("Is bed 12 free?", "Reply");
  await a.field.fill("It is");
  await a.page.getByRole("button", { name: "Urgent" }).click();
  await a.page.reload();
  await expect(a.field).toHaveValue("It is");
  await expect(a.answering).toContainText("Is bed 12 free?");
  await expect(a.page.getByRole("button", { name: "Urgent" })).toHaveAttribute("aria-pressed", "true");
  await a.open("Carol Clarke");
  await expect(a.field).toHaveValue("");
  await expect(a.entry("Bob Brown")).toContainText("Draft: It is");

  // What is to be deleted on reading is not shown in passing.
  await a.field.fill("The PIN is 2468");
  await a.page.getByRole("button", { name: "Delete after reading" }).click();
  await a.open("Bob Brown");
  await expect(a.entry("Carol Clarke")).toContainText("Draft: Hidden message (deleted after reading)");
  await expect(a.page.getByText("2468")).toHaveCount(0);
  await a.open("Carol Clarke");
  await expect(a.field).toHaveValue("The PIN is 2468");
  await a.field.fill("");

  // Another tab has it too, and sends it once.
  const b = new Messenger(await a.page.context().newPage());
  await b.page.goto(`/c/${bob.token}`);
  await expect(b.field).toHaveValue("It is");
  await b.field.press("End");
  await b.field.pressSequentially(", Bob.");
  await expect(a.entry("Bob Brown")).toContainText("Draft: It is, Bob.");
  await b.field.press("Enter");
  await b.hasStatus("It is, Bob.", "Sent");
  await expect(a.entry("Bob Brown")).not.toContainText("Draft:");
  const { results } = await bob.client.getHistory(alice.token, { limit: 1 });
  expect(results[0]).toMatchObject({ body: "It is, Bob.", priority: 1, reply_to: asked });
  await a.page.reload();
  await a.open("Bob Brown");
  await expect(a.field).toHaveValue("");
  expect(await a.page.evaluate(kept)).not.toContain("It is");
});

test("signing out asks about drafts, and nothing of them stays", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await a.field.fill("The code is 4711");
  await a.page.reload();
  await expect(a.field).toHaveValue("The code is 4711");
  expect(await a.page.evaluate(kept)).toContain("4711");
  await a.own("Sign out");
  await expect(a.dialog).toContainText("You have unfinished messages.");
  await a.dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(a.field).toHaveValue("The code is 4711");
  await a.own("Sign out");
  await a.dialog.getByRole("button", { name: "Sign out" }).click();
  await expect(a.page.getByLabel("Username")).toBeVisible();
  expect(await a.page.evaluate(kept)).not.toContain("4711");
  await signIn(a.page, alice.username, password);
  await a.open("Bob Brown");
  await expect(a.field).toHaveValue("");
});

test("of a session that ended elsewhere, no draft stays for whoever is next", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await a.field.fill("The code is 4711");
  expect(await a.page.evaluate(kept)).toContain("4711");
  await loseSession(a.page);
  await a.page.goto("/");
  await expect(a.page.getByLabel("Username")).toBeVisible();
  expect(await a.page.evaluate(kept)).not.toContain("4711");
});

test("of a session that ended elsewhere, nothing unsent stays for whoever is next", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, `/c/${bob.token}`, { serviceWorkers: "block" }));
  await a.page.route(/\/v2\/message\?/, (route) => route.abort());
  await a.write("The code is 4711");
  await a.hasStatus("The code is 4711", "Sending…");
  const waiting = () => JSON.stringify({ ...sessionStorage });
  expect(await a.page.evaluate(waiting)).toContain("4711");
  await loseSession(a.page);
  await a.page.goto("/");
  await expect(a.page.getByLabel("Username")).toBeVisible();
  expect(await a.page.evaluate(waiting)).not.toContain("4711");
  await a.page.unrouteAll();
  await signIn(a.page, bob.username, password);
  await expect(a.entry("Alice Ames")).toContainText("Is bed 12 free?");
  await expect(a.page.getByText("4711")).toHaveCount(0);
});

test("one is asked before a file that waits, or what is unsent, is lost: by leaving, and by signing out in the console", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const a = new Messenger(await open(alice, `/c/${bob.token}`, { serviceWorkers: "block" }));
  let asked = 0;
  a.page.on("dialog", () => asked++);
  const again = async () => {
    await a.page.reload();
    await expect(a.field).toBeFocused();
  };
  await a.field.fill("Is bed 12 free?"); // which is kept
  await a.field.press("End"); // a browser asks only where somebody did something
  await again();
  expect(asked).toBe(0);
  await a.field.drop({ files: { name: "labs.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7") } });
  await expect(a.page.getByText("labs.pdf", { exact: true })).toBeVisible();
  await a.field.press("End");
  await again();
  expect(asked).toBe(1);

  await a.page.route(/\/v2\/message\?/, (route) => route.abort());
  await a.field.press("Enter");
  await a.hasStatus("Is bed 12 free?", "Sending…");
  await a.page.goto("/console");
  expect(asked).toBe(2);
  await a.page.getByRole("button", { name: "Sign out" }).click();
  await expect(a.dialog).toContainText("Some of your messages haven’t been sent yet.");
  await a.dialog.getByRole("button", { name: "Sign out" }).click();
  await expect(a.page.getByLabel("Username")).toBeVisible();
});
