// What happens while an answer is under way, which was made before it.
import { hold } from "./fixtures/held.js";
import { type Person, password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { expect, test } from "./fixtures/test.js";

/** newest is the id of the last message of a conversation. */
async function newest(reader: Person, other: Person): Promise<string> {
  return (await reader.client.getHistory(other.token, { limit: 1 })).results[0]?.message_id ?? "";
}

const people = { alice: "Alice Ames", bob: "Bob Brown" };

/** The calls of a page can be held where no service worker stands between. */
const unserved = { serviceWorkers: "block" } as const;

test("what events tell while a conversation loads is shown, although the answer is older", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(people);
  const wrong = await bob.tell(alice, "The wrong window.");
  await alice.tell(bob, "Is bed 12 free?");
  const a = new Messenger(await open(alice, "/", unserved));
  const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/message"));
  await a.open("Bob Brown");
  await expect.poll(() => held.count).toBe(1);

  await bob.read(alice);
  await bob.client.recallMessage(wrong);
  await bob.tell(alice, "It is.");
  await expect(a.entry("Bob Brown")).toContainText("It is.");
  await expect(a.messages).toHaveCount(0);
  await held.release();
  await a.has("This message was recalled.", "Is bed 12 free?", "It is.");
  await a.hasStatus("Is bed 12 free?", "Read");
  expect(held.count).toBe(1);
});

test("what one sends is shown once, although its copy comes before the answer", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, "/", unserved));
  await a.open("Bob Brown");
  const held = await hold(a.page, ({ pathname }) => pathname === "/v2/message");
  await a.write("It is.");
  await expect.poll(() => held.count).toBe(1);
  await bob.client.setMessageStatus({ delivered: [await newest(bob, alice)] });
  await bob.tell(alice, "Thanks!"); // after the copy, which so has come
  await expect(a.message("Thanks!")).toBeVisible();
  await expect(a.message("It is.")).toHaveCount(1);
  await held.release();
  await a.has("Is bed 12 free?", "It is.", "Thanks!");
  await a.hasStatus("It is.", "Delivered");
});

test("how far a message to a group got is shown, although it got there while the page asked", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(people);
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  const id = await alice.tell(ward, "Is bed 12 free?");
  const a = new Messenger(await open(alice, "/", unserved));
  const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/get_bulk_message_status"));
  await a.open("Ward 3");
  await expect.poll(() => held.count).toBe(1);

  await bob.client.setMessageStatus({ read: [id] });
  await bob.tell(ward, "It is.");
  await expect(a.message("It is.")).toBeVisible();
  await a.hasStatus("Is bed 12 free?", "Sent"); // of all of a group it is not known yet
  await held.release();
  await a.hasStatus("Is bed 12 free?", "Read");
});

test("what an organization allows is asked for again, where there was no answer when the page was loaded", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(people, { forward: false });
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(undefined, "/", unserved));
  const organizations = ({ pathname }: URL) => pathname.endsWith("/organization");
  let refused = 0;
  await a.page.route(organizations, (route) => {
    refused++;
    return route.abort("connectionfailed");
  });
  await signIn(a.page, alice.username, password);
  await a.open("Bob Brown");
  await expect.poll(() => refused).toBe(4); // the client makes no more attempts
  const menu = await a.menu("Is bed 12 free?");
  await expect(menu.getByRole("menuitem", { name: "Forward" })).toBeVisible();
  await a.page.unroute(organizations);
  await a.comeBack();
  await expect(menu.getByRole("menuitem", { name: "Forward" })).toHaveCount(0);
  await expect(menu.getByRole("menuitem", { name: "Reply" })).toBeVisible();
});

test("what one sends while the history is being loaded is shown as waiting, and that this takes long is said", async ({
  hospital, open,
}) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Is bed 12 free?");
  const a = new Messenger(await open(alice, "/", unserved));
  const history = await hold(a.page, ({ pathname }) => /\/conversation\/.*\/message$/.test(pathname));
  const sending = await hold(a.page, ({ pathname }) => pathname === "/v2/message");
  await a.open("Bob Brown");
  await expect.poll(() => history.count).toBe(1);
  await a.write("It is.");
  await a.hasStatus("It is.", "Sending…");
  await expect(a.entry("Bob Brown")).toContainText("You: It is.");
  await expect(a.page.getByRole("status").filter({ hasText: "The connection is slow." })).toBeVisible();
  await history.release();
  await a.has("Is bed 12 free?", "It is.");
  await expect(a.page.getByText("The connection is slow.")).toHaveCount(0);
  await sending.release();
  await expect(a.message("It is.").getByRole("img", { name: /^(Sent|Delivered)$/ })).toBeVisible();
  await a.has("Is bed 12 free?", "It is.");
});

test("the list says of a message to a group how far it got, as its conversation does", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  const ward = await alice.client.createGroup({ name: "Ward 3", members: [bob.token] });
  const a = new Messenger(await open(alice));
  const inList = (status: string) => a.entry("Ward 3").getByRole("img", { name: status, exact: true });
  const id = await alice.tell(ward, "Is bed 12 free?");
  await expect(inList("Sent")).toBeVisible();
  await bob.client.setMessageStatus({ delivered: [id] });
  await expect(inList("Delivered")).toBeVisible();
  await a.open("Ward 3");
  await a.hasStatus("Is bed 12 free?", "Delivered");
  await bob.client.setMessageStatus({ read: [id] });
  await a.hasStatus("Is bed 12 free?", "Read");
  await expect(inList("Read")).toBeVisible();
});

test("who is here, is here after a reload too", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  await bob.tell(alice, "Good morning.");
  const [a, b] = [new Messenger(await open(alice)), new Messenger(await open(bob))];
  const here = a.entry("Bob Brown").getByRole("img", { name: "Online" });
  await expect(here).toBeVisible();
  await a.page.reload();
  await expect(here).toBeVisible();
  await b.page.close();
  await expect(here).toHaveCount(0);
});

test("a list that comes late fills a tall window", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(people);
  for (let i = 1; i <= 12; i++) await alice.client.createGroup({ name: `Ward ${i}.`, members: [bob.token] });
  const a = new Messenger(await open(alice, "/healthz", { viewport: { width: 1280, height: 1100 }, ...unserved }));
  const held = await hold(a.page, ({ pathname }) => pathname.endsWith("/conversation"));
  await a.page.goto("/");
  await expect.poll(() => held.count).toBe(1);
  await expect(a.list.getByRole("list", { name: "Loading…" })).toBeVisible();
  await held.release();
  for (let i = 1; i <= 12; i++) await expect(a.entry(`Ward ${i}.`)).toBeInViewport();
});
