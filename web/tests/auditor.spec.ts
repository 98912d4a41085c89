// What an auditor asks of the log: who gave whom access to what, and was the log changed?
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Schemas } from "#client";
import { Console } from "./fixtures/console.js";
import { admit, password } from "./fixtures/hospital.js";
import { inBothThemes } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

type Entry = Schemas["AuditEntry"];

const people = { alice: "Alice Ames", bob: "Bob Brown", dana: "Dana Drew" };

/** This month, as the address and as the page have it. */
const month = {
  value: `${new Date().getFullYear()}-${String(new Date().getMonth() + 1).padStart(2, "0")}`,
  label: new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric" }).format(new Date()),
};

test("an auditor's question: who gave whom access to what, and was the log changed?", async ({ server, hospital, open }) => {
  const { alice, bob, dana, organization } = await hospital(people);
  const elsewhere = await server.operator.createOrganization({ name: "Clinic by the Lake" });
  const carol = await admit(server, elsewhere, "carol", "Carol Clarke");
  await server.operator.grantRole(alice.token, organization, "admin");
  await server.operator.addToOrganization(carol.token, { organization });
  await server.operator.grantRole(bob.token, organization, "help_desk");
  await server.operator.createKey(bob.token, {});
  await server.operator.grantRole(dana.token, organization, "help_desk");
  await server.operator.eraseUser(dana.token, dana.username);

  const page = await open(alice, `/console/organizations/${organization}`);
  const c = new Console(page);
  await c.elevate();
  await c.tab("Audit log");
  await expect(c.entry("Operator created an API key for Bob Brown.")).toBeVisible();
  await expect(c.entry("Operator deleted an account and all its messages.")).toBeVisible();
  await expect(c.entry(/looked at/)).toHaveCount(0); // reading is hidden
  for (const width of [1280, 800, 360]) await inBothThemes(page, "audit", width);
  await page.setViewportSize({ width: 1280, height: 800 });

  // Who gave whom access to what?
  await c.main.getByLabel("Action").selectOption("Everything: Access");
  await c.main.getByLabel("Result").selectOption("Done");
  await c.main.getByLabel("Period").selectOption(month.label);
  const answer = [
    /^Operator gave a deleted or external account the role help_desk in General Hospital\./,
    /^Operator gave Bob Brown the role help_desk in General Hospital\./,
    /^Operator added Carol Clarke to General Hospital\./,
    /^Operator made Alice Ames an administrator of General Hospital\.Done/,
  ];
  await expect(c.log).toHaveText(answer);

  // The view has an address, and can be sent to a colleague.
  await expect(page).toHaveURL(new RegExp(`/audit\\?action=all\\.access&outcome=ok&period=${month.value}$`));
  await page.reload();
  await expect(c.log).toHaveText(answer);
  await expect(c.main.getByLabel("Period")).toHaveValue(month.value);
  await page.goBack();
  await expect(c.main.getByLabel("Period")).toHaveValue("");
  await page.goForward();
  await expect(c.main.getByLabel("Period")).toHaveValue(month.value);

  // By or on a person, found by the beginning of a word, with the keyboard alone.
  await c.main.getByLabel("Person involved").fill("bro");
  await expect(c.main.getByRole("listbox").getByRole("option")).toHaveText([/^Bob Brown/]); // not those of selects
  await page.keyboard.press("Enter");
  const chip = c.main.getByRole("button", { name: "Remove filter: Bob Brown" });
  await expect(chip).toBeFocused();
  await expect(c.log).toHaveText([/^Operator gave Bob Brown the role/]);
  await page.keyboard.press("Enter");
  await expect(c.main.getByLabel("Person involved")).toBeFocused();
  await expect(c.log).toHaveText(answer);

  // What the server has of it is at hand, and who it is.
  const granted = c.entry("made Alice Ames an administrator");
  const details = granted.getByRole("button", { name: /^Details of entry \d+$/ });
  await details.press("Enter");
  await expect(details).toHaveAttribute("aria-expanded", "true");
  await expect(granted.getByText("role.grant", { exact: true })).toBeVisible();
  await expect(granted.getByText(alice.token, { exact: true })).toBeVisible();
  await expect(granted.getByText("role=admin", { exact: true })).toBeVisible();
  await inBothThemes(page, "audit-entry", 1280);
  await granted.getByRole("button", { name: "Only entries with Alice Ames" }).click();
  await expect(c.main.getByRole("button", { name: "Remove filter: Alice Ames" })).toBeFocused();
  await expect(c.log).toHaveText([/made Alice Ames an administrator/]);
  await granted.getByRole("link", { name: "Alice Ames" }).click();
  await expect(c.main.getByRole("heading", { name: "Alice Ames", level: 2 })).toBeVisible();
  await page.goBack();
  await c.main.getByRole("button", { name: "Clear filters" }).click();
  await expect(page).toHaveURL(/\/audit$/);
  await expect(c.entry("Operator created an API key for Bob Brown.")).toBeVisible();

  // What the filter shows, for a spreadsheet; the whole log, for a verification.
  await c.main.getByLabel("Action").selectOption("Give a role");
  await expect(c.log).toHaveCount(3);
  const table = await exported(page, "Entries shown, as a spreadsheet (CSV)");
  expect(table.trim().split("\r\n")).toHaveLength(4);
  expect(table).toContain(",Operator made Alice Ames an administrator of General Hospital.,Done,Operator,role.grant,ok,");
  const log = await exported(page, "Full log, for verification (JSON lines)");
  const lines = log.trim().split("\n").map((line) => JSON.parse(line) as { entry: { number: number }; hash: string });
  expect(lines.map(({ entry }) => entry.number)).toEqual(lines.map((_, i) => i + 1));
  expect(lines.map(({ hash }) => hash)).toEqual(chained(lines.map(({ entry }) => entry)));

  // Was the log changed?
  const said = c.main.getByRole("status").filter({ hasText: "The log" });
  const check = c.main.getByRole("button", { name: "Verify log" });
  await check.click();
  await expect(said).toHaveText(/^The log is intact: \d+ entries since .+, each matching the one before\.$/);
  await page.route(/\/audit\?after=0&/, async (route) => {
    // The server takes the cookie from pages of its own only, as this one is.
    const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
    const response = await route.fetch({ headers });
    const answer = (await response.json()) as { reply: Entry[] };
    const entries = answer.reply.map((entry) => (entry.number === 3 ? { ...entry, account: bob.token } : entry));
    await route.fulfill({ response, json: { ...answer, reply: entries } });
  });
  await check.click();
  await expect(said).toHaveText(/^The log has been altered: entry 3 \(.+\) does not match the entry before it\./);
});

test("the platform's log is filtered by a whole address", async ({ server, hospital, open }) => {
  const { bob } = await hospital(people);
  const page = await open(operator, "/console/audit");
  const c = new Console(page);
  await c.elevate();
  await expect(c.log).not.toHaveCount(0);
  const person = c.main.getByLabel("Person involved");
  await person.fill(`nobody-${server.next()}`);
  await person.press("Enter");
  await expect(c.main.getByRole("alert")).toHaveText("This no longer exists, or you don’t have access to it.");
  await person.fill(bob.username);
  await person.press("Enter");
  await expect(c.main.getByRole("button", { name: "Remove filter: Bob Brown" })).toBeFocused();
  await expect(c.main.getByText("No entries match.")).toBeVisible();
  await c.main.getByRole("button", { name: "Clear filters" }).click();
  await c.main.getByLabel("Result").selectOption("Refused");
  await expect(c.entry(/^Operator tried to look up a person on the whole server\.Refused: not found/)).not.toHaveCount(0);
  await expect(c.entry("Done")).toHaveCount(0);
});

test("new entries appear on top while somebody watches, and are said", async ({ server, hospital, open }) => {
  const { alice, bob, organization } = await hospital(people);
  await server.operator.grantRole(alice.token, organization, "admin");
  const page = await open(alice, `/console/organizations/${organization}/audit`);
  const c = new Console(page);
  await c.elevate();
  await expect(c.entry("Operator created an account: Bob Brown.")).toBeVisible();
  // What comes just before the page is read that watching begins with is on that page, and is news all the same.
  await page.route(/\/audit\?/, (route) => server.operator.disableUser(bob.token).then(() => route.fallback()), { times: 1 });
  await c.main.getByRole("button", { name: "Watch live" }).click();
  await expect(c.log).toContainText(["Operator disabled an account: Bob Brown.", "Operator made Alice Ames an administrator"]);
  await expect(c.main.getByRole("status").filter({ hasText: "Operator disabled an account: Bob Brown. Done" })).toHaveCount(1);
  const carol = await admit(server, organization, "carol", "Carol Clarke"); // whose name the page does not know yet
  await expect(c.entry("Operator created an account: Carol Clarke.")).toBeVisible();
  await expect(c.entry(/looked at|read the audit log/)).toHaveCount(0);

  await c.main.getByRole("button", { name: "Stop watching" }).click();
  await server.operator.disableUser(carol.token);
  await server.operator.enableUser(bob.token);
  await c.main.getByLabel("Show reading").check();
  await expect(c.entry("Operator enabled an account: Bob Brown.")).toBeVisible();
  await c.main.getByRole("button", { name: "Watch live" }).click();
  await server.operator.enableUser(carol.token);
  await expect(c.entry("Operator enabled an account: Carol Clarke.")).toBeVisible();
  await expect(c.entry("Alice Ames read the audit log of General Hospital.")).not.toHaveCount(0);

  // With the right to read, watching ends, and asks for nothing that would be refused.
  await page.getByRole("button", { name: "Admin access until" }).click();
  await expect(c.main.getByRole("status").filter({ hasText: "Watching has ended." })).toBeVisible();
  expect(await server.operator.getOrganizationAudit(organization, { outcome: "refused" })).toEqual([]);
});

/** The actions that a server can write. */
const actions = [...readFileSync(new URL("../../internal/model/audit.go", import.meta.url), "utf8")
  .matchAll(/Action\w+ +AuditAction += "([a-z.]+)"/g)].map(([, action]) => action ?? "");

for (const [locale, missing] of [["en-US", "no words for"], ["de-DE", "keine Worte"], ["fr-FR", "pas de mots"]] as const) {
  test(`every entry is a sentence: ${locale}`, async ({ open }) => {
    const page = await open(operator, "/healthz", { locale });
    const raised = await page.context().request.post("/v2/session/elevate", {
      data: { password }, headers: { "Sec-Fetch-Site": "same-origin" },
    });
    expect(raised.ok()).toBe(true);
    const results = actions.flatMap(entriesOf).map((entry, i) => ({ ...entry, number: 1000 - i }));
    const reply = { results, names, metadata: {} };
    await page.route(/\/v2\/audit\?/, (route) => route.fulfill({ json: { status: "success", reply } }));
    await page.goto("/console/audit?reads=true");
    const c = new Console(page);
    const log = c.main.getByRole("list").filter({ hasText: "Alice Ames" }).getByRole("listitem");
    await expect(log).toHaveCount(results.length);
    const said = await log.allInnerTexts();
    expect(said.filter((words) => /[{}–]|undefined/.test(words) || words.includes(missing))).toEqual([]);
    await inBothThemes(page, `audit-sentences-${locale}`, 1280);
  });
}

const token = (n: number) => `01a1fcf5-cecb-7724-99c1-00000000000${n}`;
const organization = "Bd0Kh8oOOL8dKLzdocJ2isAj";
const names = { [token(1)]: "Alice Ames", [token(2)]: "Bob Brown", [token(3)]: "Ward 3", [organization]: "General Hospital" };

/** What the details of some actions hold. */
const details: Readonly<Record<string, readonly string[]>> = {
  "escalation.remove": ["policy=night"],
  "escalation.set": ["policy=Late shift"],
  "key.issue": ["kind=regular", "kind=administrative organization=Bd0Kh8oOOL8dKLzdocJ2isAj"],
  "key.label": ["label=set", "label=none"],
  "key.limit": ["messages_per_day=default requests_per_second=5", "messages_per_day=5 requests_per_second=0 label=set"],
  "login": ["session", "session, first start"],
  "member.add": ["pending"],
  "member.remove": ["pending"],
  "message.recall": ["message=01a1fcf5-cecb-7724-99c1-000000000009 reason=To the wrong person"],
  "organization.update": ["attachments=false display_names=administrators max_ttl=10080 ttl=90 others=2"],
  "role.grant": ["role=admin", "role=admin pending", "role=help_desk"],
  "role.revoke": ["role=admin", "role=help_desk"],
  "row.forged": ["key 12"],
  "user.rename": ["display_name emails names=00"],
  "user.update": ["department emails title"],
};

/** Of these, the server always tells what was changed. */
const telling = ["escalation.remove", "escalation.set", "key.limit", "role.grant", "role.revoke", "row.forged", "user.rename"];

/** entriesOf are entries of an action in all the shapes that it may have. */
function entriesOf(action: string): Omit<Entry, "number">[] {
  const entry = {
    chain: "", time: "2026-03-02T08:15:30.123Z", action, outcome: "ok", times: 2, account: token(1), hash: "0".repeat(64),
  };
  const on = { on_account: token(2), on_group: token(3), on_organization: organization };
  const all = (details[action] ?? []).map((detail) => ({ ...entry, ...on, detail }));
  const told = telling.includes(action) ? [] : [{ ...entry, ...on }, { ...entry, ...on, on_account: token(1) }];
  const renamed = { ...entry, ...on, detail: "display_name", old: { display_name: "Bob Braun" }, new: { display_name: "Bob Brown" } };
  const gone = { ...entry, ...on, account: token(8), on_account: token(9), on_group: token(9), on_organization: "gone" };
  const detail = details[action]?.[0];
  return [
    ...all, ...told, { ...gone, detail },
    ...(action === "user.rename" ? [renamed] : []),
    { ...entry, ...on, detail, outcome: "not_allowed" },
    { ...entry, detail, outcome: "failed", address: "command", account: undefined },
    { ...entry, detail, outcome: "credentials_invalid", account: undefined, on_account: token(2) },
  ].map((one) => JSON.parse(JSON.stringify(one)) as Omit<Entry, "number">);
}

/** exported chooses from the menu of exports, and returns the file. */
async function exported(page: Page, kind: string): Promise<string> {
  await page.getByRole("button", { name: "Export log" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: kind }).click();
  return readFileSync(await (await download).path(), "utf8");
}

/** chained are the hashes that entries have, one after the other, from the first. */
function chained(entries: readonly object[]): string[] {
  let hash = "";
  return entries.map((entry) => {
    hash = createHash("sha256").update(`signet audit 1\n${hash}\n${JSON.stringify(entry)}\n`).digest("hex");
    return hash;
  });
}
