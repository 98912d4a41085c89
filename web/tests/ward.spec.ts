// A night on a ward: what has to arrive though it is urgent, the line is cut, people change and a telephone is lost.
import type { Page } from "@playwright/test";
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

test.use({ serve: [] }); // a server of its own: its line is cut

/** kept is all that a device has of somebody: on the page, in its storage, and of calls in its caches. */
async function kept(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const found = [document.body.textContent, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const request of await cache.keys()) {
        if (!new URL(request.url).pathname.startsWith("/v2")) continue; // the pages themselves stay
        found.push(request.url, (await (await cache.match(request))?.text()) ?? "");
      }
    }
    return found.join("\n");
  });
}

test("a night on a ward", async ({ server, hospital, open }) => {
  const { alice, bob, carol, dana } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dana: "Dana Drew",
  });
  const ward = await carol.client.createGroup({ name: "Ward 3", members: [alice.token, bob.token], replay_history: true });
  await carol.tell(ward, "Handover: bed 12 needs watching.");
  await bob.tell(alice, "I am in theatre until nine.");
  const a = new Messenger(await open(alice));
  const b = new Messenger(await open(bob));
  await b.open("Ward 3");
  await expect(b.message("Handover: bed 12")).toBeVisible();

  await test.step("an urgent message is told from the others, and its sender sees that it was read", async () => {
    await a.open("Bob Brown");
    await a.page.getByRole("button", { name: "Urgent", exact: true }).click();
    await a.write("Bed 12: potassium 6.1, please call back.");
    await expect(b.entry("Alice Ames").getByRole("img", { name: "Urgent" })).toBeVisible();
    await a.hasStatus("potassium 6.1", "Delivered");
    await b.open("Alice Ames");
    await expect(b.message("potassium 6.1").getByText("Urgent", { exact: true })).toBeVisible();
    await a.hasStatus("potassium 6.1", "Read");
    await expect(b.entry("Alice Ames").getByRole("img", { name: "Urgent" })).toHaveCount(0);
  });

  await test.step("the line is cut: what both write meanwhile arrives once it is back, and once", async () => {
    const banner = (m: Messenger) => m.page.getByText(/^You’re offline\./);
    await server.cut();
    for (const m of [a, b]) await expect(banner(m)).toBeVisible();
    await a.write("Calcium is given.");
    await a.write("He is awake.");
    await b.write("On my way.");
    await a.hasStatus("He is awake.", "Sending…");
    await b.hasStatus("On my way.", "Sending…");
    await expect(b.message("Calcium is given.")).toHaveCount(0);
    await server.mend();
    for (const m of [a, b]) await expect(banner(m)).toHaveCount(0);
    for (const words of ["Calcium is given.", "He is awake."]) await a.hasStatus(words, "Read");
    await b.hasStatus("On my way.", "Read");
    const bodies = (await alice.client.getHistory(bob.token)).results.map(({ body }) => body);
    expect(bodies.filter((body) => body !== "On my way.").reverse()).toEqual([
      "I am in theatre until nine.", "Bed 12: potassium 6.1, please call back.", "Calcium is given.", "He is awake.",
    ]);
    expect(bodies.filter((body) => body === "On my way.")).toHaveLength(1);
  });

  await test.step("the shift changes: one leaves the group, another one is added and reads what was", async () => {
    await b.page.goto(`/c/${ward.token}/details`);
    await b.details.getByRole("button", { name: "Leave group" }).click();
    await b.dialog.getByRole("button", { name: "Leave group" }).click();
    await expect(b.page).toHaveURL("/");
    const c = new Messenger(await open(carol, `/c/${ward.token}/details`));
    await c.details.getByRole("button", { name: "Add people" }).click();
    await c.dialog.getByRole("searchbox", { name: "Search people" }).fill("dana");
    await c.dialog.getByRole("button", { name: "Dana Drew" }).click();
    await c.dialog.getByRole("button", { name: "Add", exact: true }).click();
    await expect(c.dialog).toHaveCount(0);
    const d = new Messenger(await open(dana));
    await d.open("Ward 3");
    await expect(d.message("Handover: bed 12 needs watching.")).toBeVisible();
    await d.write("Good evening, I have the ward.");
    await expect(c.message("I have the ward.")).toBeVisible();
    await expect(a.entry("Ward 3")).toContainText("Dana: Good evening, I have the ward.");
    await expect(b.page.getByText("I have the ward.")).toHaveCount(0);
    const members = await carol.client.getGroupMembers(ward.token);
    expect(members.map(({ token }) => token).sort()).toEqual([alice.token, carol.token, dana.token].sort());
  });

  await test.step("a telephone is lost: its session is ended from another device, and it forgets everything", async () => {
    const lost = new Messenger(await open(alice));
    await lost.open("Bob Brown");
    await lost.field.fill("What I had begun");
    await expect.poll(() => kept(lost.page)).toContain("potassium 6.1");
    await a.own("Settings");
    const devices = a.dialog.getByRole("region", { name: "Devices" });
    await expect(devices.getByRole("listitem")).toHaveCount(2);
    await devices.getByRole("button", { name: "Sign out" }).click();
    await expect(devices.getByRole("listitem")).toHaveCount(1);
    await expect(devices.getByText("this device")).toBeVisible();
    const forgot = async () => {
      await expect(lost.page.getByLabel("Username")).toBeVisible();
      for (const words of ["potassium", "Bob Brown", "Ward 3", "What I had begun"]) {
        await expect.poll(() => kept(lost.page)).not.toContain(words);
      }
    };
    await forgot();
    await lost.page.reload();
    await forgot();
    await a.page.keyboard.press("Escape");
    await a.write("My telephone is gone; call the ward."); // this device goes on
    await expect(b.entry("Alice Ames")).toContainText("My telephone is gone");
  });
});
