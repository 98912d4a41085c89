// The service worker, by which the messenger starts without a server.
import type { Page } from "@playwright/test";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

/** kept are the addresses whose answers the service worker has kept. */
async function kept(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const all = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) all.push(new URL(url).pathname);
    }
    return all;
  });
}

/** stored is all else that a browser keeps for a page. */
async function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const databases = await indexedDB.databases();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases]);
  });
}

/** holdsNoContent checks that the browser has kept the application, and nothing that people wrote or are called. */
async function holdsNoContent(page: Page): Promise<void> {
  const addresses = await kept(page);
  const others = addresses.filter((address) => !/^\/$|^\/manifest\.webmanifest$|^\/assets\//.test(address));
  expect(others, "the service worker keeps the application alone").toEqual([]);
  expect(addresses).toContainEqual(expect.stringMatching(/^\/assets\/messenger-/));
  expect(await stored(page)).not.toMatch(/Potassium|Ames|Brown/);
}

test.describe("on a server that ends", () => {
  test.use({ serve: [] });

  test("the messenger starts without a server, from what the browser keeps, which is nothing of content", async ({
    hospital, open, server,
  }) => {
    const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
    await bob.tell(alice, "Potassium 6.1");
    const a = new Messenger(await open(alice));
    await a.open("Bob Brown");
    await expect(a.message("Potassium 6.1")).toBeVisible();
    await holdsNoContent(a.page);

    // Loaded anew once more, the page is the service worker's.
    await a.page.reload();
    await expect(a.message("Potassium 6.1")).toBeVisible();
    await expect.poll(() => a.page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");

    await server.stop();
    await expect(a.page.getByText("You’re offline. You can keep writing: messages are sent when you’re back online.", { exact: true })).toBeVisible();
    await expect(a.message("Potassium 6.1")).toBeVisible();
    await holdsNoContent(a.page);
    await a.page.reload();
    await expect(a.page.getByRole("status")).toHaveText("Can’t reach the server. Check your connection and try again.");
  });
});
