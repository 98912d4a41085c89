// What operators and administrators see first: what they have to see to, and how it was over time.
import type { Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { answerFigures, answerStatus, busy, filling, onlySince, well } from "./fixtures/figures.js";
import { admit } from "./fixtures/hospital.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

const day = 86_400_000;

/** painted counts the canvases of a page that have something on them, and says what is on the first. */
async function painted(page: Page): Promise<{ of: number; filled: number; first: string }> {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll("canvas")];
    const filled = all.filter((canvas) => {
      const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return pixels.some((value) => value > 0);
    });
    return { of: all.length, filled: filled.length, first: all[0]?.toDataURL() ?? "" };
  });
}

const plot = (c: Console, name: string) => c.main.getByRole("figure", { name, exact: true });
const slider = (c: Console, name: string) => c.main.getByRole("slider", { name, exact: true });

/** overview opens the operator's one. Nothing has to be done there, unless a test says so. */
async function overview(page: Page, path = "/console"): Promise<Console> {
  await page.goto(path);
  const c = new Console(page);
  await c.elevate();
  return c;
}

test("an operator reads in words what has to be seen to, each with what to do", async ({ open }) => {
  const page = await open(operator, "/healthz");
  await answerFigures(page, { ...busy, ...filling(12) });
  await answerStatus(page, (status) => {
    well(status);
    status.backup = {};
    status.server.warnings = [
      { topic: "clock", text: "the clock is in doubt" },
      { topic: "files_open", text: "others can read the data" },
      { topic: "novelty", text: "something that these pages do not know" },
    ];
    status.server.parts = [{ name: "nats", up: false, refused_calls: 0 }];
    status.server.certificate_ends_time = new Date(Date.parse(status.time) + 4.5 * day).toISOString();
  }, false);
  const c = await overview(page);
  const warnings = c.main.getByRole("list", { name: "Warnings" }).getByRole("listitem");
  await expect(warnings).toHaveCount(8);
  await expect(c.main.getByRole("status").filter({ hasText: "8 warnings" })).toBeAttached();
  for (const [title, remedy] of [
    ["There is no backup yet", "signet backup /var/backups/signet-$(date +%F)"],
    ["The key ring isn’t kept anywhere else", "signet keys export /media/safe/keyring"],
    ["The certificate expires in 5 days", "Renew it by"],
    ["The disk will be full on", "enlarge the disk"],
    ["The clock is off", "signet clock accept"],
    ["Other accounts on this machine can read the server’s data", "chmod -R go-rwx"],
    ["NATS isn’t responding", "Check NATS"],
    ["The server reports a problem", "Open its text below"],
  ] as const) {
    await expect(warnings.filter({ hasText: title })).toContainText(remedy);
  }
  await warnings.filter({ hasText: "The server reports" }).getByText("What the server says").click();
  await expect(warnings.getByText("something that these pages do not know")).toBeVisible();
  await expect(c.main.getByText("Everything is working.")).toHaveCount(0);

  const backup = c.main.getByRole("definition").filter({ hasText: "None yet" });
  await expect(backup).toBeVisible();
  await expect(plot(c, "Storage")).toContainText("At the pace of the last 7 days, the disk will be full on");
  await picture(page, "console-warnings");
});

test("nothing stands in the way where all is well", async ({ open }) => {
  const page = await open(operator, "/healthz");
  await answerFigures(page, { ...busy, ...filling(400) });
  await answerStatus(page, well);
  const c = await overview(page);
  await expect(c.main.getByRole("status")).toHaveText(/^Everything is working\. Running since /);
  await expect(c.main.getByRole("list", { name: "Warnings" })).toHaveCount(0);
  await expect(c.problem).toHaveCount(0);
  await picture(page, "console-calm");
});

test("each figure has a word of help, one at a time", async ({ open }) => {
  const page = await open(operator, "/healthz");
  await answerFigures(page);
  const c = await overview(page);
  await expect(c.figures).not.toHaveCount(0);
  const titles = await c.figures.allTextContents();
  const values = c.main.getByRole("definition");
  for (const title of titles) await expect(values.getByLabel(`What does “${title}” mean?`)).toBeVisible();
  const queued = values.getByText("Events that wait until their accounts pick them up.");
  const sent = values.getByText("Messages that this server has accepted since it started.");
  await values.getByLabel("What does “Queued events” mean?").click();
  await expect(queued).toBeVisible();
  await expect(sent).toBeHidden();
  await values.getByLabel("What does “Messages sent” mean?").press("Enter");
  await expect(sent).toBeVisible();
  await expect(queued).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(sent).toBeHidden();
});

test("curves are shown over an hour, a day, a month and a year, which the address keeps", async ({ open }) => {
  const page = await open(operator, "/healthz");
  const asked = await answerFigures(page);
  const c = await overview(page);
  const range = (name: string) => c.main.getByRole("radio", { name, exact: true });
  const steps = () => asked.map(({ searchParams: of }) => of.get("names")?.startsWith("sent,") && of.get("step")).filter(Boolean);
  await expect(range("Day")).toBeChecked();
  await expect(slider(c, "Messages")).toHaveAttribute("aria-valuemax", /^14(39|40)$/);
  await expect.poll(async () => (await painted(page)).filled).toBe(9);
  for (const [name, address, step, most] of [
    ["Hour", "hour", "60", /^(59|60)$/], ["Month", "month", "3600", /^7(19|20)$/], ["Year", "year", "86400", /^36[45]$/],
  ] as const) {
    await range(name).check();
    await expect(page).toHaveURL(`/console?range=${address}`);
    await expect(slider(c, "Messages")).toHaveAttribute("aria-valuemax", most);
    expect(steps().at(-1)).toBe(step);
  }
  await page.reload();
  await expect(range("Year")).toBeChecked();
  await expect(plot(c, "Messages")).toContainText("per day");
  await expect(range("Year")).toBeEnabled();
  await range("Year").press("ArrowLeft");
  await expect(range("Month")).toBeFocused();
  await expect(page).toHaveURL("/console?range=month");
  await page.goto("/console?range=century");
  await expect(range("Day")).toBeChecked();
});

test("one crosshair is over all curves, moved by the pointer and by keys", async ({ open }) => {
  const page = await open(operator, "/healthz");
  const start = Math.floor(Date.now() / 60_000) * 60 - 23.5 * 3600; // before that nobody counted
  const since = (figure: number) => onlySince(start, figure);
  await answerFigures(page, { ...busy, ...filling(200), sent: since(7), copies: since(21), queued: since(1234) });
  const c = await overview(page);
  const [messages, queued] = [slider(c, "Messages"), slider(c, "Queued events")];
  await expect(messages).toHaveAttribute("aria-valuetext", /: Sent 7, Copies 21$/);
  const newest = Number(await messages.getAttribute("aria-valuemax"));

  await messages.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(messages).toHaveAttribute("aria-valuenow", String(newest - 1));
  await expect(queued).toHaveAttribute("aria-valuenow", String(newest - 1));
  await expect(queued).toHaveAttribute("aria-valuetext", /: Queued events 1,234$/);
  await page.keyboard.press("PageDown");
  await expect(queued).toHaveAttribute("aria-valuenow", String(newest - 11));
  await page.keyboard.press("Home");
  await expect(messages).toHaveAttribute("aria-valuetext", /: Sent –, Copies –$/); // a gap is no nought
  await expect(messages).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(messages).toHaveAttribute("aria-valuenow", String(newest));

  await queued.hover();
  const place = async () => Number(await messages.getAttribute("aria-valuenow"));
  await expect.poll(place).toBeLessThan(newest - 100);
  await expect(queued).toHaveAttribute("aria-valuenow", String(await place()));
  await expect(plot(c, "Messages")).toContainText("Sent 7Copies 21");
  await c.main.getByRole("heading", { level: 1 }).hover();
  await expect.poll(place).toBe(newest);
});

test("whoever does not see curves has tables", async ({ open }) => {
  const page = await open(operator, "/healthz");
  await answerFigures(page, { ...busy, ...filling(200), sent: () => 7, copies: () => 21 });
  const c = await overview(page, "/console?range=year");
  const messages = plot(c, "Messages");
  await messages.getByLabel("Show as table: Messages").click();
  const table = messages.getByRole("table");
  await expect(table.getByRole("columnheader")).toHaveText(["Time", "Sent", "Copies"]);
  const rows = table.getByRole("row").filter({ has: page.getByRole("cell") });
  await expect.poll(() => rows.count()).toBeGreaterThan(360);
  const some = new Date(Date.now() - 40 * day).toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });
  await expect(rows.filter({ hasText: some })).toHaveText(/721$/);

  const storage = plot(c, "Storage");
  await storage.getByLabel("Show as table: Storage").click();
  await expect(storage.getByRole("columnheader")).toHaveText(["Time", "Database", "Write-ahead log", "Files", "All together"]);
});

test("curves follow theme, language and window, and are printed light", async ({ open }) => {
  const page = await open(operator, "/healthz", { colorScheme: "light" });
  await answerFigures(page);
  const c = await overview(page);
  await expect.poll(async () => (await painted(page)).filled).toBe(9);
  const { first: light } = await painted(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(async () => (await painted(page)).first).not.toBe(light);
  const { first: dark } = await painted(page);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  expect((await painted(page)).first).not.toBe(dark);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  expect((await painted(page)).first).toBe(dark);

  const width = async () => (await slider(c, "Messages").boundingBox())?.width ?? 0;
  const before = await width();
  await page.setViewportSize({ width: 800, height: 800 });
  await expect.poll(width).toBeGreaterThan(before);
  const drawn = () => page.evaluate(() => document.querySelector("canvas")?.getBoundingClientRect().width);
  await expect.poll(drawn).toBe(await width());

  await page.emulateMedia({ media: "print" });
  await expect(page.getByRole("navigation", { name: "Console" })).toBeHidden();
  await expect(c.main.getByRole("radio", { name: "Day" })).toBeHidden();
  await expect(plot(c, "Messages")).toBeVisible();
});

test("an administrator of one organization is there at once, and begins with the next steps", async ({ hospital, open, server }) => {
  const { alice, bob, organization } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await server.operator.grantRole(alice.token, organization, "admin");
  const page = await open(alice, "/healthz");
  await answerFigures(page, { active_people: () => null });
  const c = await overview(page);
  await c.shows("General Hospital");
  const steps = c.main.getByRole("region", { name: "Next steps" });
  await expect(steps.getByRole("listitem")).toHaveText([/^Add people/, /^Send the first message/, /^Connect a program/]);
  await expect(steps.getByRole("listitem").filter({ hasText: "Done." })).toHaveText(/^Add people/);
  await expect(c.main.getByRole("figure")).toHaveCount(0); // no flat lines
  await picture(page, "console-new-organization");

  await alice.tell(bob, { body: "Is bed 12 free?", priority: 1 });
  await bob.client.grantRole("me", organization, "admin");
  await page.unrouteAll();
  await answerFigures(page);
  await page.reload();
  for (const name of ["Messages per day", "People active per day", "Urgent read within 5 minutes", "Not read within an hour", "Storage"]) {
    await expect(plot(c, name)).toBeVisible();
    await expect(slider(c, name)).toBeVisible();
  }
  await expect(plot(c, "People active per day")).toContainText("of 3 people");
  await expect(c.main.getByText(/^3 people · 0 groups · 1 message · /)).toBeVisible();
  await c.main.getByRole("radio", { name: "Year" }).check();
  await expect(page).toHaveURL("/console?range=year");
  await expect(slider(c, "Storage")).toHaveAttribute("aria-valuemax", /^36[45]$/);
  await picture(page, "console-organization");
  const attention = c.main.getByRole("region", { name: "Requests" });
  await expect(attention.getByRole("listitem")).toHaveText(["Bob BrownBecome an administrator"]);
  await attention.getByRole("link", { name: "Bob Brown" }).click();
  await expect(c.row("Requests", "Bob Brown")).toBeVisible();
});

test("an administrator of several organizations sees how each does", async ({ hospital, open, server }) => {
  const { alice, organization } = await hospital({ alice: "Alice Ames" });
  const elsewhere = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  await admit(server, elsewhere, "carol", "Carol Clarke");
  await server.operator.addToOrganization(alice.token, { organization: elsewhere });
  for (const one of [organization, elsewhere]) await server.operator.grantRole(alice.token, one, "admin");
  const page = await open(alice, "/healthz");
  await answerFigures(page, { sent: () => 10 });
  const c = await overview(page);
  await c.shows("Overview");
  const cards = c.main.getByRole("listitem");
  await expect(cards).toHaveText([/^Clinic by the Lake.* messages in the last 30 days$/, /^General Hospital.* messages in the last 30 days$/]);
  await picture(page, "console-several");
  await cards.getByRole("link", { name: "Clinic by the Lake" }).click();
  await c.shows("Clinic by the Lake");
  await expect(c.tabs.filter({ hasText: "Overview" })).toHaveAttribute("aria-current", "page");
});
