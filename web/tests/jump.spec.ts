// Ways through a long history: to the newest message, and to the first unread one.
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

const toNewest = { name: "Go to latest message" };
const toUnread = { name: "To the first unread message" };

for (const width of [1280, 360]) {
  test(`one goes to the newest and back to the first unread by buttons and by keys, ${width} pixels wide`, async ({
    hospital, open,
  }) => {
    const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
    for (let i = 0; i < 60; i++) await bob.tell(alice, `Read ${i}.`);
    await alice.read(bob);
    for (let i = 0; i < 150; i++) await bob.tell(alice, `Unread ${i}.`);
    const a = new Messenger(await open(alice, `/c/${bob.token}`, { viewport: { width, height: 640 } }));
    const newest = a.page.getByRole("button", toNewest);
    const unread = a.page.getByRole("button", toUnread);
    const line = a.items.filter({ hasText: /^\d+ new messages?$/ });
    const last = a.message("Unread 149.");

    // It opens at the first unread message, and tells how many more there are.
    await expect(line).toBeInViewport();
    await expect(line).toHaveText("150 new messages");
    await expect(a.message("Unread 0.")).toBeInViewport();
    await expect(newest.getByRole("img", { name: /unread/ })).toBeVisible();
    await expect(unread).toHaveCount(0);
    await picture(a.page, `jump-${width}`);

    // Whoever leaps over messages has not read them: there is a way back to them.
    await newest.click();
    await expect(last).toBeInViewport();
    await expect(newest).toHaveCount(0);
    await expect(unread).toBeVisible();
    const left = Number(await unread.getByRole("img", { name: /unread/ }).textContent());
    expect(left).toBeGreaterThan(60);
    const { results } = await alice.client.getConversations();
    expect(results[0]?.unread_count).toBeGreaterThanOrEqual(left);
    await picture(a.page, `jump-back-${width}`);
    await unread.click();
    await expect(line).toBeInViewport();
    await expect(unread).toHaveCount(0);
    await expect(last).not.toBeInViewport();
    expect(await a.page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Unread \d+\./);

    // By keys alone.
    await a.page.keyboard.press("Alt+PageDown");
    await expect(last).toBeInViewport();
    await expect(last).toBeFocused();
    await expect(unread).toBeVisible();
    await a.page.keyboard.press("Alt+PageUp");
    await expect(line).toBeInViewport();
    await expect(unread).toHaveCount(0);
    await a.page.keyboard.press("Alt+PageDown");
    await expect(last).toBeFocused();
    await a.page.keyboard.press("ArrowDown");
    await expect(a.field).toBeFocused();
  });
}
