// The tabs of one browser, which share one session.
import type { Page } from "@playwright/test";
import { password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

const ended = "You’ve been signed out. Sign in again to continue.";

/** isFor waits until the messenger of this person is shown. */
async function isFor(page: Page, name: string): Promise<void> {
  await expect(page.getByRole("heading", { name, level: 1, exact: true })).toBeVisible();
}

/** countLoads counts from now on how often a page is loaded, also where that does not come to its end. */
function countLoads(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) count++;
  });
  return () => count;
}

test("a session begins in all tabs and ends in all, also from elsewhere, and says so there", async ({
  hospital, desk,
}) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const context = await desk();
  const one = await context.newPage();
  const other = await context.newPage();
  for (const page of [one, other]) {
    await page.goto("/");
    await expect(page.getByLabel("Username")).toBeVisible();
  }

  // By a password, and ended in the other tab. That one knows why, and says nothing. Each begins
  // anew once: browsers have crashed where a page that was being left was loaded anew again.
  await one.bringToFront();
  await signIn(one, alice.username, password);
  await isFor(one, "Alice Ames");
  await isFor(other, "Alice Ames");
  await other.bringToFront();
  const loads = [one, other].map(countLoads);
  await new Messenger(other).own("Sign out");
  await expect(other.getByLabel("Username")).toBeVisible();
  await expect(one.getByLabel("Username")).toBeVisible();
  expect(loads.map((count) => count())).toEqual([1, 1]);
  await expect(one.getByText(ended, { exact: true })).toBeVisible();
  await expect(other.getByText(ended)).toHaveCount(0);

  // By a key in place of a password. A wrong one is said to be.
  const key = await bob.client.createKey("me");
  await one.bringToFront();
  await one.getByRole("button", { name: "Sign in with an API key" }).click();
  await one.getByLabel("API key").fill(key.api_key);
  await one.getByLabel("Secret").fill("wrong");
  await one.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(one.getByRole("alert")).toHaveText("The API key or secret is incorrect.");
  await one.getByLabel("Secret").fill(key.api_secret);
  await one.getByRole("button", { name: "Sign in", exact: true }).click();
  await isFor(one, "Bob Brown");
  await isFor(other, "Bob Brown");

  // Ended from elsewhere: both say why.
  const devices = (await bob.client.getKeys("me")).filter(({ device }) => device !== undefined);
  expect(devices).toHaveLength(1);
  for (const { api_key } of devices) await bob.client.revokeKey("me", api_key);
  for (const page of [one, other]) {
    await expect(page.getByLabel("Username")).toBeVisible();
    await expect(page.getByText(ended, { exact: true })).toBeVisible();
  }
});

test("a tab that has not found out yet that somebody else has signed in does nothing in her name", async ({
  hospital, open,
}) => {
  const { alice, bob, carol } = await hospital({ alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke" });
  const a = new Messenger(await open(alice, `/c/${carol.token}`, { serviceWorkers: "block" }));
  await isFor(a.page, "Alice Ames");
  await a.isUpToDate();
  let find = () => {};
  const found = new Promise<void>((resolve) => (find = resolve));
  await a.page.route("**/v2/session", async (route) => {
    await found;
    await route.continue();
  });
  const other = await a.page.context().newPage();
  await other.goto("/");
  await new Messenger(other).own("Sign out");
  await signIn(other, bob.username, password);
  await isFor(other, "Bob Brown");
  await a.write("From Alice.");
  await a.hasStatus("From Alice.", "Sending…");
  find();
  await isFor(a.page, "Bob Brown");
  expect((await carol.client.getConversations()).results).toEqual([]);
});

test("signing out that the server refuses is said, and nothing ends", async ({ hospital, open }) => {
  const { alice } = await hospital({ alice: "Alice Ames" });
  const page = await open(alice, "/", { serviceWorkers: "block" });
  await isFor(page, "Alice Ames");
  const loads = countLoads(page);
  await page.route("**/v2/session", (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    const error = { status: 429, code: "rate_limit", message: "Too many requests." };
    return route.fulfill({ status: 429, headers: { "Retry-After": "3600" }, json: { status: "fail", error } });
  });
  await new Messenger(page).own("Sign out");
  await expect(page.getByText("Too many attempts. Wait a minute, then try again.", { exact: true })).toBeVisible();
  await page.unroute("**/v2/session");
  await isFor(page, "Alice Ames");
  expect(loads()).toBe(0);
  await new Messenger(page).own("Sign out");
  await expect(page.getByLabel("Username")).toBeVisible();
  await expect(page.getByText(ended)).toHaveCount(0);
});

// As where one signs out and in again in another tab, while this one has no connection.
test("a tab whose stream is refused goes on where there is a session again", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const a = new Messenger(await open(alice, "/healthz", { serviceWorkers: "block" }));
  const error = { status: 401, code: "credentials_wrong", message: "No." };
  await a.page.route(/\/v2\/events$/, (route) => route.fulfill({ status: 401, json: { status: "fail", error } }), { times: 1 });
  const refused = a.page.waitForResponse((response) => response.url().endsWith("/v2/events") && response.status() === 401);
  await a.page.goto("/");
  await refused;
  await expect(a.list).toContainText("No conversations yet.");
  await bob.tell(alice, "Good morning.");
  await expect(a.entry("Bob Brown")).toBeVisible();
  await isFor(a.page, "Alice Ames");
});
