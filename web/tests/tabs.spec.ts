// The tabs of one browser, which share one session.
import type { Page } from "@playwright/test";
import { password } from "./fixtures/hospital.js";
import { signIn } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

const ended = "Your session has ended. Please sign in again.";

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
    await expect(page.getByLabel("User name")).toBeVisible();
  }

  // By a password, and ended in the other tab. That one knows why, and says nothing. Each begins
  // anew once: browsers have crashed where a page that was being left was loaded anew again.
  await one.bringToFront();
  await signIn(one, alice.username, password);
  await isFor(one, "Alice Ames");
  await isFor(other, "Alice Ames");
  await other.bringToFront();
  const loads = [one, other].map(countLoads);
  await other.getByRole("button", { name: "Sign out" }).click();
  await expect(other.getByLabel("User name")).toBeVisible();
  await expect(one.getByLabel("User name")).toBeVisible();
  expect(loads.map((count) => count())).toEqual([1, 1]);
  await expect(one.getByText(ended, { exact: true })).toBeVisible();
  await expect(other.getByText(ended)).toHaveCount(0);

  // By a key in place of a password. A wrong one is said to be.
  const key = await bob.client.createKey("me");
  await one.bringToFront();
  await one.getByRole("button", { name: "Sign in with a key" }).click();
  await one.getByLabel("Key").fill(key.api_key);
  await one.getByLabel("Secret").fill("wrong");
  await one.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(one.getByRole("alert")).toHaveText("The key or the secret is wrong.");
  await one.getByLabel("Secret").fill(key.api_secret);
  await one.getByRole("button", { name: "Sign in", exact: true }).click();
  await isFor(one, "Bob Brown");
  await isFor(other, "Bob Brown");

  // Ended from elsewhere: both say why.
  const devices = (await bob.client.getKeys("me")).filter(({ device }) => device !== undefined);
  expect(devices).toHaveLength(1);
  for (const { api_key } of devices) await bob.client.revokeKey("me", api_key);
  for (const page of [one, other]) {
    await expect(page.getByLabel("User name")).toBeVisible();
    await expect(page.getByText(ended, { exact: true })).toBeVisible();
  }
});
