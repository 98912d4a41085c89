// The page of the interface: its calls, to read and to try.
import { Messenger, signIn } from "./fixtures/messenger.js";
import { password } from "./fixtures/hospital.js";
import { expect, test } from "./fixtures/test.js";

test("the interface is read and searched without signing in", async ({ open }) => {
  const page = await open(undefined, "/docs");
  const calls = page.getByRole("navigation", { name: "API calls" });
  const found = calls.getByRole("listitem");
  const search = calls.getByRole("searchbox", { name: "Search calls" });
  await expect.poll(() => found.count()).toBeGreaterThan(80);
  await search.fill("recall message");
  await expect.poll(() => found.count()).toBeLessThan(5);
  await expect(found).toContainText(["Recall a message"]);
  await search.pressSequentially(" zebra");
  await expect(calls.getByText("No call found.")).toBeVisible();
  await expect(found).toHaveCount(0);

  await page.goto("/docs/sendMessage");
  const main = page.getByRole("main");
  const terms = main.getByRole("term");
  await expect(terms.filter({ hasText: /^recipientrequired$/ })).toBeVisible();
  await expect(terms.filter({ hasText: /^429$/ })).toBeVisible();
  await expect(main.getByText("Sign in to try this call with your own account.")).toBeVisible();
  await expect(main.getByRole("textbox")).toHaveCount(0);
  await expect(main.getByRole("button")).toHaveCount(0);
});

test("who is signed in tries a call, and is asked before one that changes something", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const page = await open(undefined);
  await signIn(page, alice.username, password);
  await expect(new Messenger(page).list).toBeVisible();
  await page.goto("/docs/sendMessage");
  const main = page.getByRole("main");
  const call = { recipient: bob.username, body: "By hand." };
  await main.getByRole("textbox", { name: "Request body" }).fill(JSON.stringify(call));
  await main.getByRole("button", { name: "Send request" }).click();
  const dialog = page.getByRole("dialog", { name: "Send this request?" });
  await expect(dialog).toBeVisible();
  expect(await bob.client.getUnreadCount("me")).toMatchObject({ unread_count: 0 });
  await expect(main.getByRole("region", { name: "curl" })).toContainText("By hand.");
  await dialog.getByRole("button", { name: "Send request" }).click();
  await expect(main.getByRole("region", { name: "Response" })).toHaveText(/^204/);
  expect(await bob.client.getUnreadCount("me")).toMatchObject({ unread_count: 1 });
});
