// Urgent messages that somebody takes on, and that are sent on while nobody does.
import { Messenger } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

const four = { alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke", dana: "Dana Drew" };

test("whoever takes an urgent message on says it, and its sender sees who", async ({ hospital, open }) => {
  const { alice, bob, carol } = await hospital(four);
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token, carol.token] });
  const a = new Messenger(await open(alice, `/c/${ward.token}`));
  const b = new Messenger(await open(bob, `/c/${ward.token}`));
  await alice.tell(ward, { body: "Bed 4 needs help", priority: 1 });
  await alice.tell(ward, "Tea is ready");
  await expect(b.message("Tea is ready").getByRole("button", { name: "I’ll take it" })).toHaveCount(0);
  await expect(a.message("Bed 4 needs help").getByRole("button", { name: "I’ll take it" })).toHaveCount(0);
  await b.message("Bed 4 needs help").getByRole("button", { name: "I’ll take it" }).click();
  await expect(b.message("Bed 4 needs help").getByRole("status")).toHaveText("You’ve taken this");
  await expect(b.message("Bed 4 needs help").getByRole("status")).toBeFocused();
  await expect(a.message("Bed 4 needs help")).toContainText("Taken by Bob Brown");

  // It is still so after the page was loaded anew.
  await b.page.reload();
  await expect(b.message("Bed 4 needs help")).toContainText("You’ve taken this");
  await a.page.reload();
  await expect(a.message("Bed 4 needs help")).toContainText("Taken by Bob Brown");
  await expect(a.message("Bed 4 needs help").getByRole("button", { name: "read by 1 of 2" })).toBeVisible();
});

test("whoever takes a message on before it is known how far it got has the focus on what is said then", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(four);
  const b = new Messenger(await open(bob));
  let tell = () => {};
  const known = new Promise<void>((resolve) => (tell = resolve));
  await b.page.route("**/get_bulk_message_status", async (route) => {
    await known;
    await route.continue();
  });
  await alice.tell(bob, { body: "Bed 4 needs help", priority: 1 });
  await b.open("Alice Ames");
  const taken = b.page.waitForResponse((answer) => answer.url().endsWith("/status") && answer.request().method() === "POST");
  await b.message("Bed 4 needs help").getByRole("button", { name: "I’ll take it" }).click();
  await taken;
  tell();
  await expect(b.message("Bed 4 needs help").getByRole("status")).toHaveText("You’ve taken this");
  await expect(b.message("Bed 4 needs help").getByRole("status")).toBeFocused();
});

test("an urgent message is sent with a policy, and its details show the way", async ({ server, hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital(four);
  await server.operator.setEscalationPolicy(organization, "Night", {
    until: "confirmed", steps: [{ after: 5, to: [carol.token] }, { after: 15, to: [bob.token] }],
  });
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await expect(a.page.getByRole("button", { name: "If no one responds" })).toHaveCount(0);
  await a.page.getByRole("button", { name: "Urgent", exact: true }).click();
  await a.page.getByRole("button", { name: "If no one responds" }).click();
  await a.page.getByRole("menuitemradio", { name: "Night" }).click();
  await a.write("The lift stands still");
  await a.hasStatus("The lift stands still", "Sent");
  await a.act("The lift stands still", "Details");
  const way = a.page.getByRole("list", { name: "If no one responds" });
  await expect(way.getByRole("listitem")).toHaveText([/^Sent/, /^Carol Clarke Due /, /^Bob Brown Due /, "Waiting for a response"]);

  const { results } = await alice.client.getHistory(bob.token);
  await bob.client.setMessageStatus({ confirmed: results.map(({ message_id }) => message_id) });
  await expect(way.getByRole("listitem").filter({ hasText: "Someone has taken it on" })).toBeVisible();
  await expect(way.getByRole("listitem").filter({ hasText: "Not sent" })).toHaveText([/^Carol Clarke/, /^Bob Brown/]);
  await expect(a.page.getByRole("button", { name: "Don’t forward any further" })).toHaveCount(0);
});

test("policies that came since are in the menu, and one that went is refused", async ({ server, hospital, open }) => {
  const { alice, bob, carol, organization } = await hospital(four);
  const steps = [{ after: 5, to: [carol.token] }];
  await server.operator.setEscalationPolicy(organization, "Night", { until: "read", steps });
  const a = new Messenger(await open(alice, `/c/${bob.token}`));
  await a.page.getByRole("button", { name: "Urgent", exact: true }).click();
  const menu = a.page.getByRole("button", { name: "If no one responds" });
  await expect(menu).toBeVisible();
  await server.operator.setEscalationPolicy(organization, "Day", { until: "read", steps });
  await menu.click();
  await expect(a.page.getByRole("menuitemradio")).toHaveText(["Don’t forward", "Day", "Night"]);
  await a.page.getByRole("menuitemradio", { name: "Night" }).click();
  await server.operator.removeEscalationPolicy(organization, "Night");
  await a.write("The lift stands still");
  await expect(a.page.getByText("This escalation policy no longer exists. Choose another one.")).toBeVisible();
});
