// Sending a message on: to whom one likes, after a look.
import { hacks } from "./fixtures/look.js";
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

for (const width of [1280, 360]) {
  test(`a message is forwarded by the keyboard alone to whom one never wrote to, after a look, ${width} pixels wide`, async ({
    hospital, open,
  }) => {
    const { alice, bob, carol, dan } = await hospital({
      alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
    });
    const ward = await dan.client.createGroup({ name: "Ward 3", members: [alice.token] });
    await bob.tell(alice, { body: "Potassium 6.1", priority: 1 });
    const a = new Messenger(await open(alice, `/c/${bob.token}`, { viewport: { width, height: 640 } }));
    const { keyboard } = a.page;
    await a.act("Potassium 6.1", "Forward");
    const search = a.dialog.getByRole("searchbox", { name: "Search people and groups" });
    await expect(search).toBeFocused();
    const next = a.dialog.getByRole("button", { name: "Continue" });
    await expect(next).toBeDisabled();
    for (const [words, name] of [["caro", "Carol Clarke"], ["ward", "Ward 3"]] as const) {
      await search.fill(words);
      const found = a.dialog.getByRole("button", { name: new RegExp(`^${name}`) });
      await expect(found).toBeVisible();
      await found.focus();
      await keyboard.press("Enter");
      await expect(a.dialog.getByRole("list", { name: "Recipients" })).toContainText(name);
      await search.focus();
    }
    await picture(a.page, `forward-to-${width}`);
    await next.focus();
    await keyboard.press("Enter");
    await expect(a.dialog.getByRole("list", { name: "Recipients" })).toHaveText(/Carol Clarke.*Ward 3/);
    await expect(a.dialog.getByRole("definition").filter({ hasText: "Potassium 6.1" })).toContainText("Bob Brown");
    await expect(a.dialog.getByRole("checkbox", { name: "Urgent" })).toBeChecked();
    await expect(a.dialog.getByRole("textbox", { name: "Add a message" })).toBeFocused();
    // In several lines, between which the arrows lead.
    await keyboard.type("Please");
    await keyboard.press("Enter");
    await keyboard.type("call her.");
    await keyboard.press("ArrowUp");
    await keyboard.press("End");
    await keyboard.type(" do");
    await picture(a.page, `forward-look-${width}`);
    expect(await a.page.evaluate(hacks, width)).toEqual([]);

    // Nothing has been sent so far, and nothing is if one goes back.
    const got = async () => {
      const { results } = await carol.client.getHistory(alice.token).catch(() => ({ results: [] }));
      return results.toReversed().map(({ body, priority, is_forwarded = false }) => [body, priority, is_forwarded]);
    };
    expect(await got()).toEqual([]);
    await a.dialog.getByRole("button", { name: "Send" }).focus();
    await keyboard.press("Enter");
    await expect(a.page.getByText("Forwarded to 2 recipients.")).toBeVisible();
    await expect(a.dialog).toHaveCount(0);
    await expect.poll(got).toEqual([["Potassium 6.1", 1, true], ["Please do\ncall her.", 0, false]]);
    const { results } = await dan.client.getHistory(ward.token);
    expect(results.map(({ body }) => body)).toContain("Potassium 6.1");
  });
}

test("where the answer to a forward is lost, it is sent once all the same, and nobody who has it gets it again", async ({
  hospital, open,
}) => {
  const { alice, bob, carol, dan } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dan: "Dan Drake",
  });
  await bob.tell(alice, "Potassium 6.1");
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await a.act("Potassium 6.1", "Forward");
  for (const name of ["Carol Clarke", "Dan Drake"]) {
    await a.dialog.getByRole("searchbox").fill(name);
    await a.dialog.getByRole("button", { name }).click();
  }
  await a.dialog.getByRole("button", { name: "Continue" }).click();
  let cut = true;
  await a.page.route("**/forward?*", async (route) => {
    if (!cut || !route.request().postData()?.includes(dan.token)) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await a.dialog.getByRole("button", { name: "Send" }).click();
  await expect(a.dialog.getByRole("alert")).toHaveText(/^Not forwarded to Dan Drake: /);
  await expect(a.dialog.getByRole("list", { name: "Recipients" })).toHaveText(`Dan Drake${dan.username}`);
  cut = false;
  await a.dialog.getByRole("button", { name: "Send" }).click();
  await expect(a.dialog).toHaveCount(0);
  for (const person of [carol, dan]) {
    const { results } = await person.client.getHistory(alice.token);
    expect(results.map(({ body }) => body)).toEqual(["Potassium 6.1"]);
  }
});
