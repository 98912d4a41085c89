// The link that a first start prints, by which the operator signs in without a password, and where it leads to.
import type { Locator, Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { password } from "./fixtures/hospital.js";
import { Messenger, signIn } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import type { Server } from "./fixtures/stage.js";
import { expect, operator, test } from "./fixtures/test.js";

/** useLink does what the console does with the link, and returns the status of the answer. */
async function useLink(link: string, headers: Record<string, string> = {}): Promise<number> {
  const { origin, hash } = new URL(link);
  const { status } = await fetch(`${origin}/v2/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin", ...headers },
    body: JSON.stringify({ first_start: hash.slice("#first=".length) }),
  });
  return status;
}

// On servers of the stage's: that of other tests has an operator with a password, for whom there is no link any more.
test("the first start prints a link that opens once, from this machine", async ({ stage }) => {
  const server = await stage.serve();
  const link = async () => /(\S+\/console#first=\S+)\n/.exec(await server.said())?.[1];
  await expect.poll(link).toContain(`${server.direct}/console#first=`);
  const printed = (await link()) ?? "";
  for (const header of ["X-Forwarded-For", "Forwarded", "Via"]) {
    const status = await useLink(printed, { [header]: "198.51.100.7" });
    expect(status, `through a proxy that sets ${header}`).toBe(403);
  }
  expect(await useLink(printed)).toBe(204);
  expect(await useLink(printed), "a second time").toBe(401);
  await server.stop();
});

test("there is no link for pages elsewhere, or where there are none", async ({ stage }) => {
  const printed = async (...args: string[]) => (await stage.serve(args)).stop();
  expect(await printed()).toContain("#first=");
  expect(await printed("--base-url=https://messages.example.org")).not.toContain("#first=");
  expect(await printed("--web.pages=false")).not.toContain("#first=");
});

test.describe("in a browser", () => {
  test.use({ serve: [], untouched: true });

  test("a first start goes on after a reload and in another browser, and makes one organization", async ({ server, open }) => {
    const page = await open(undefined, await pathOf(server));
    const first = new FirstStart(page);
    const secret = first.step("Set your password").getByLabel("New password");
    const set = first.step("Set your password").getByRole("button", { name: "Set password" });
    await expect(secret).toHaveAccessibleDescription(/^At least 8 characters\. /);
    await secret.fill("operator1");
    await set.click();
    await expect(secret).toHaveAccessibleDescription(/^This password is easy to guess: /);
    await expect(set).toBeFocused();
    await secret.fill(password);
    await first.step("Set your password").getByRole("button", { name: "Show what is typed" }).click();
    await expect(secret).toHaveAttribute("type", "text");
    await secret.press("Enter");

    const name = first.step("Create your organization").getByLabel("Organization name");
    await expect(name).toBeFocused();
    await page.reload();
    await expect(first.step("Set your password")).toContainText("Password set. Sign in as operator from now on.");
    await expect(secret).toHaveCount(0);
    await name.fill("St. Elisabeth Hospital");
    await name.press("Enter");

    const person = first.step("Add people").getByLabel("Display name");
    await expect(person).toBeFocused();
    await page.reload();
    await expect(person).toBeVisible();
    await expect(first.step("Create your organization")).toHaveText("Create your organizationSt. Elisabeth Hospital");
    await expect(name).toHaveCount(0);

    const elsewhere = await open(operator, "/console/start");
    await new Console(elsewhere).elevate();
    const second = new FirstStart(elsewhere);
    await second.add("Alice Ames", "alice");
    await expect(second.step("Add people").getByRole("status")).toHaveText("1 account created: Alice Ames");
    await expect(second.step("Add people").getByLabel("Display name")).toBeFocused();
    await second.add("Bob Brown", "bob");
    await expect(second.step("Add people").getByRole("status")).toHaveText("2 accounts created: Alice Ames, Bob Brown");

    await page.reload();
    await expect(first.step("Add people")).toContainText("2 accounts created: Alice Ames, Bob Brown");
    await expect(first.step("Send the first message").getByRole("link", { name: "Open messenger" })).toBeVisible();
    await first.step("Add people").getByRole("button", { name: "Add more people" }).click();
    await expect(person).toBeFocused();
    const { results } = await server.operator.listOrganizations();
    expect(results.map((one) => one.name)).toEqual(["St. Elisabeth Hospital"]);
  });

  test("a first start ends with two windows that write to each other", async ({ server, open, desk }) => {
    const page = await open(undefined, await pathOf(server));
    const first = new FirstStart(page);
    await first.step("Set your password").getByLabel("New password").fill(password);
    await page.keyboard.press("Enter");
    await first.step("Create your organization").getByLabel("Organization name").fill("General Hospital");
    await page.keyboard.press("Enter");
    await first.add("Alice Ames", "alice");
    await first.step("Add people").getByRole("button", { name: "Continue" }).click();

    const last = first.step("Send the first message");
    const messenger = last.getByRole("link", { name: "Open messenger" });
    await expect(messenger).toBeFocused();
    await expect(last.getByRole("status")).toHaveText("Nothing has been sent yet.");
    await expect(last.getByText(password)).toHaveCount(0);
    await inBothThemes(page, "console-first-start-message", 360);
    await inBothThemes(page, "console-first-start-message", 1280);

    const opened = page.context().waitForEvent("page");
    await messenger.click();
    const own = new Messenger(await opened);
    await own.shows("Alice Ames");
    await own.write("Good morning, Alice.");
    await expect(last.getByRole("status")).toHaveText("Sent. Alice Ames gets your message after signing in.");

    // As she is told to: in a window of its own, with what there is to copy.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (what: string) => {
      await last.getByRole("button", { name: `Copy: ${what}` }).click();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const theirs = await (await desk()).newPage();
    await theirs.goto(await copied("Address"));
    await signIn(theirs, await copied("Username"), await copied("Initial password"));
    const alice = new Messenger(theirs);
    await alice.open("Operator");
    await alice.has("Good morning, Alice.");
    await expect(last.getByRole("status")).toHaveText("Alice Ames has read your message. Everything works.");
    await alice.write("Good morning.");
    await expect(last.getByRole("status")).toHaveText("Alice Ames has replied. Everything works.");
  });

  test("whoever has no password confirms by the API key", async ({ server, desk }) => {
    const context = await desk();
    const basic = Buffer.from(`${server.credentials.key}:${server.credentials.secret}`).toString("base64");
    const headers = { "Sec-Fetch-Site": "same-origin", Authorization: `Basic ${basic}` };
    expect((await context.request.post("/v2/session", { headers })).status()).toBe(204);
    const page = await context.newPage();
    await page.goto("/console/start");
    const { dialog } = new Console(page);
    await expect(dialog).toContainText("This account has no password yet. Use its API key.");
    await dialog.getByLabel("API key").fill(server.credentials.key);
    await dialog.getByLabel("Secret").fill(server.credentials.secret);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(new FirstStart(page).step("Set your password").getByLabel("New password")).toBeVisible();
  });
});

/** pathOf is where the link of a server leads to that nobody has set up. */
async function pathOf(server: Server): Promise<string> {
  await expect.poll(() => server.said()).toContain("/console#first=");
  return `/console#first=${(await server.said()).split("#first=")[1]?.trim()}`;
}

class FirstStart {
  constructor(readonly page: Page) {}

  /** step is the one with a title. */
  step(title: string): Locator {
    const heading = this.page.getByRole("heading", { name: title, exact: true });
    return this.page.getByRole("main").getByRole("listitem").filter({ has: heading });
  }

  /** add adds a person, by the keyboard alone. */
  async add(name: string, username: string): Promise<void> {
    const step = this.step("Add people");
    await step.getByLabel("Display name").fill(name);
    await step.getByLabel("Username").fill(username);
    await step.getByLabel("Initial password").fill(password);
    await step.getByLabel("Initial password").press("Enter");
    await expect(step.getByLabel("Username")).toHaveValue("");
  }
}
