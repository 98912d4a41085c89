// Many people from a file: what an administrator sees before anybody is made, while they are made, and after.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Download, Locator, Page } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { hold } from "./fixtures/held.js";
import { password } from "./fixtures/hospital.js";
import { picture } from "./fixtures/picture.js";
import { expect, operator, test } from "./fixtures/test.js";

const bulk = (url: URL) => url.pathname === "/v2/user/bulk";

/** openImport opens the import into an organization. */
async function openImport(open: (who: typeof operator, path: string) => Promise<Page>, organization: string): Promise<Console> {
  const c = new Console(await open(operator, `/console/organizations/${organization}/people/import`));
  await c.elevate();
  return c;
}

/** saved is what a download holds. */
async function saved(download: Promise<Download>): Promise<Buffer> {
  return readFileSync(await (await download).path());
}

/** line is the row of the preview that stands in this line of the file. */
function line(c: Console, number: number): Locator {
  return c.rows("Rows").filter({ has: c.page.getByRole("cell", { name: String(number), exact: true }) });
}

/** wrong is what is wrong with the row in a line of the file. */
function wrong(c: Console, number: number): Locator {
  return line(c, number).getByRole("listitem");
}

test("each row is shown as it would be made, with all that is wrong with it", async ({ hospital, open, server }) => {
  const { organization, alice } = await hospital({ alice: "Alice Ames" });
  const elsewhere = await hospital({ far: "Far Away" });
  const c = await openImport(open, organization);
  const [ann, bea] = [`ann-${server.next()}`, `bea-${server.next()}`];
  await c.chooseFile([
    "Name;User Name;E-Mail;Phone;Password;Title;issue key",
    `Ann Lee;${ann};${ann}@example.com;;;Nurse;`,
    `Bea;no name;bea.example.com, b@;12;short;${"x".repeat(257)};perhaps`,
    `Ann again;${ann.toUpperCase()};;;;;`,
    `${alice.name};${alice.username};;;;;`,
    `Alice;${alice.username};alice@example.com;;;Doctor;`,
    `Far;${elsewhere.far.username};;;;;`,
    `Bea;${bea};;;${bea}2026;;`,
    "Nobody;;;;;;",
    `Carl;carl-${server.next()};;;;;;surplus`,
  ].join("\r\n"));
  await c.previews();
  await expect(c.main.getByRole("heading", { name: "Preview" })).toBeFocused();
  const said = c.main.getByRole("status").filter({ hasText: "can be created" });
  await expect(said).toContainText("1 account can be created.");
  await expect(said).toContainText("3 people have an account already.");
  await expect(said).toContainText("5 rows have errors and will be skipped.");
  await expect(line(c, 2)).toHaveText(`2Ann Lee${ann}${ann}@example.comNew`);
  await expect(wrong(c, 3)).toHaveText([
    "API key perhaps Write yes or no.",
    /^Job title x+ This text is too long\.$/,
    /^Username no name Use 1 to 64 letters/,
    /^Email bea\.example\.com, b@ Enter a complete email address, like name@example\.com\.$/,
    /^Email bea\.example\.com, b@ Enter a complete email address/,
    /^Phone 12 Enter the phone number with country code/,
    "Password Use 8 to 1,024 characters.",
  ]);
  await expect(wrong(c, 4)).toHaveText(`Username ${ann.toUpperCase()} Same person as in row 2.`);
  await expect(line(c, 5)).toContainText("Member already. Nothing to do.");
  await expect(line(c, 6)).toContainText("Member already. The file differs in: Name, Job title, Email. Nothing is changed.");
  await expect(line(c, 7)).toContainText("Has an account, but isn’t a member.");
  await expect(wrong(c, 8)).toHaveText("Password This password is easy to guess. Choose another one.");
  await expect(wrong(c, 9)).toHaveText("Email Enter a username, email or phone.");
  await expect(wrong(c, 10)).toHaveText(/^Column 8, without a name surplus This cell is in a column without a name\./);
  await picture(c.page, "import-preview");

  const filter = (name: string) => c.main.getByRole("group", { name: "Show" }).getByRole("button", { name });
  await expect(c.main.getByRole("group", { name: "Show" }).getByRole("button")).toHaveText(["All 9", "New 1", "Exists already 3", "With errors 5"]);
  await filter("Exists already").click();
  await expect(c.rows("Rows")).toHaveCount(3);
  await filter("With errors").click();
  await expect(c.rows("Rows")).toHaveCount(5);

  await c.main.getByRole("button", { name: "Create 1 account" }).click();
  await expect(c.main.getByRole("heading", { name: "Import finished" })).toBeFocused();
  const end = c.main.getByRole("status").filter({ hasText: "1 account created." });
  await expect(end).toContainText("5 rows were skipped. Download the results, correct these rows in your file and import the file again.");
  await expect(end).toContainText("People without a password can’t sign in until you set one.");
  const download = c.page.waitForEvent("download");
  await c.main.getByRole("button", { name: "Download results (CSV)" }).click();
  const report = (await saved(download)).toString();
  expect(report).toMatch(/^\ufeffRow,Result,Name,/);
  expect(report).toContain("Same person as in row 2.");
  expect((await server.operator.lookupUser(ann)).title).toBe("Nurse");
  await c.main.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.row("People", "Ann Lee")).toBeVisible();
});

test("what is wrong is said in the language of the page", async ({ hospital, open }) => {
  const { organization } = await hospital({});
  const page = await open(operator, "/", { locale: "de-DE" });
  await page.request.post("/v2/session/elevate", {
    data: { password }, headers: { "Sec-Fetch-Site": "same-origin" },
  });
  await page.goto(`/console/organizations/${organization}/people/import`);
  const main = page.getByRole("main");
  const file = { name: "leute.csv", mimeType: "text/csv", buffer: Buffer.from("Benutzername;E-Mail\nann b;x\n") };
  await main.getByLabel("CSV-Datei wählen").setInputFiles(file);
  await expect(main.getByRole("cell").getByRole("listitem")).toHaveText([
    /^Benutzername ann b Verwenden Sie 1 bis 64 Buchstaben/, /^E-Mail x Geben Sie eine vollständige E-Mail-Adresse ein/,
  ]);
  await expect(main.getByRole("status").filter({ hasText: "Kein Konto" })).toHaveText(
    "Kein Konto kann angelegt werden. Korrigieren Sie die fehlerhaften Zeilen und wählen Sie die Datei erneut.");
});

test("a person imports what Excel saves", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const name = `joerg-${server.next()}`;
  await c.chooseFile(Buffer.from(`User Name;Name;Phone;\r\n ${name} ;Jörg "Joe" Müller\xa0;;\r\n`, "latin1"), "excel.csv");
  await c.previews();
  await expect(c.main.getByText("read as Western European (windows-1252)")).toBeVisible();
  await expect(line(c, 2)).toContainText('Jörg "Joe" Müller'); // seen before it is made
  await c.main.getByRole("button", { name: "Create 1 account" }).click();
  await expect(c.main.getByText("1 account created.")).toBeVisible();
  expect((await server.operator.lookupUser(name)).display_name).toBe('Jörg "Joe" Müller');
  await c.main.getByRole("button", { name: "Import another file" }).click();
  await c.chooseFile(Buffer.from("PK\x03\x04"), "people.xlsx");
  await expect(c.problem).toHaveText("This file is a workbook. Save it as CSV, then choose it again.");
});

test("unknown columns are named, and read as somebody says, or left out", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const name = `ann-${server.next()}`;
  await c.chooseFile(`Usernmae,Shoe size,Work email,Last seen,Nickname,\n${name},38,${name}@example.com,never,Annie,note\n`);
  const column = (label: string) => c.main.getByLabel(label, { exact: true });
  await expect(column("Column 1, “Usernmae”")).toHaveValue("username");
  await expect(column("Column 2, “Shoe size”")).toHaveValue("-");
  await expect(column("Column 3, “Work email”")).toHaveValue("emails");
  await expect(column("Column 6, without a name")).toHaveValue("-");
  await expect(c.main.getByText("For example: note")).toBeVisible();
  await column("Column 5, “Nickname”").selectOption("Username");
  await c.main.getByRole("button", { name: "Continue", exact: true }).click();
  await expect(c.main.getByText("There are two columns for Username. Leave one of them out.")).toBeVisible();
  await column("Column 5, “Nickname”").selectOption("Name");
  await picture(c.page, "import-columns");
  await c.main.getByRole("button", { name: "Continue", exact: true }).click();
  await c.previews();
  await expect(line(c, 2)).toHaveText(`2Annie${name}${name}@example.comNew`);
  await expect(c.main.getByText("Not imported: Shoe size, Last seen", { exact: true })).toBeVisible();
});

test("of two columns of one field either is left out", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const name = `bob-${server.next()}`;
  await c.chooseFile(`username,User name\nold-${name},${name}\n`);
  await expect(c.main.getByRole("alert").filter({ hasText: "There are two columns for Username." })).toBeVisible();
  const first = c.main.getByLabel("Column 1, “username”", { exact: true });
  const second = c.main.getByLabel("Column 2, “User name”", { exact: true });
  await expect(first).toHaveValue("username");
  await expect(second).toHaveValue("-");
  await first.selectOption("Leave out");
  await second.selectOption("Username");
  await c.main.getByRole("button", { name: "Continue", exact: true }).click();
  await c.previews();
  await expect(line(c, 2)).toHaveText(`2${name}New`);
});

test("the template goes in again, without its example", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const download = c.page.waitForEvent("download");
  await c.main.getByRole("button", { name: "Download template" }).click();
  const template = (await saved(download)).toString();
  expect(template).toMatch(/^\ufeffName,Username,Email,Phone,Job title,Department,First name,Last name,Password\r\n/);
  await c.chooseFile(template);
  await expect(c.problem).toContainText("only the example of the template");
  await c.chooseFile(`${template}Ann Lee,ann-${server.next()},,,,,,,\r\n`);
  await c.previews();
  await expect(c.main.getByText("Row 2 is the example of the template and is left out.")).toBeVisible();
  await expect(c.rows("Rows")).toHaveText([/^3Ann Lee/]);
});

test("a cut line stops an import, which goes on without making anybody twice", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const names = Array.from({ length: 120 }, () => `person-${server.next()}`);
  const c = await openImport(open, organization);
  await c.chooseFile(`username\n${names.join("\n")}\n`);
  await c.previews();
  const ids = new Set<string | undefined>();
  let answers = 0;
  await c.page.route(bulk, async (route) => {
    ids.add(route.request().headers()["request-id"]);
    const headers = { ...(await route.request().allHeaders()), "sec-fetch-site": "same-origin" };
    const response = await route.fetch({ headers }); // the server has made them
    if (++answers === 1) await route.fulfill({ response });
    else await route.abort("connectionreset");
  });
  await c.main.getByRole("button", { name: "Create 120 accounts" }).click();
  await expect(c.problem).toHaveText("Can’t reach the server. Check your connection and try again.");
  await expect(c.main.getByText("no account is created twice")).toBeVisible();
  await expect(c.main.getByRole("status").filter({ hasText: "Creating account" })).toContainText("Creating account 51 of 120…");
  await picture(c.page, "import-stopped");
  expect(ids.size).toBe(2); // the second call keeps its name, however often it is made
  await c.page.unroute(bulk);
  await c.main.getByRole("button", { name: "Try again" }).click();
  await expect(c.main.getByText("120 accounts created.")).toBeVisible();
  expect((await server.operator.getOrganization(organization)).members).toBe(121); // and the operator
  const download = c.page.waitForEvent("download");
  await c.main.getByRole("button", { name: "Download results (CSV)" }).click();
  expect((await saved(download)).toString().match(/Account created/g)).toHaveLength(120);
});

test("two rows of one person that are far apart are told", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const names = Array.from({ length: 130 }, () => `person-${server.next()}`);
  const c = await openImport(open, organization);
  await c.chooseFile(`username,email\n${names.map((name) => `${name},${name}@example.com`).join("\n")}\n,${String(names[0])}@EXAMPLE.com\n`);
  await c.previews();
  await c.main.getByRole("button", { name: "With errors" }).click();
  await expect(c.rows("Rows")).toHaveCount(1);
  await expect(wrong(c, 132)).toHaveText(`Email ${String(names[0])}@EXAMPLE.com Same person as in row 2.`);
});

test("an import goes on while another view is open, and is found again", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  await c.chooseFile(`username\nann-${server.next()}\nbob-${server.next()}\n`);
  await c.previews();
  const held = await hold(c.page, bulk);
  await c.main.getByRole("button", { name: "Create 2 accounts" }).click();
  await expect(c.main.getByText("You can open other pages of the console meanwhile.")).toBeVisible();
  await c.tab("Groups");
  await expect.poll(() => held.count).toBe(1);
  await held.release();
  await expect(c.page.getByText("2 accounts created.")).toBeVisible(); // by a note
  await c.tab("People");
  await c.importInto();
  await expect(c.main.getByRole("heading", { name: "Import finished" })).toBeVisible();
  await expect(c.main.getByRole("status").filter({ hasText: "2 accounts created." })).toBeVisible();
});

test("the secrets of keys can't be lost by a click", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const name = `gateway-${server.next()}`;
  await c.chooseFile(`username,issue_key\n${name},yes\n`);
  await c.previews();
  await c.main.getByRole("button", { name: "Create 1 account" }).click();
  await expect(c.main.getByText("Download them now: the secrets won’t be shown again.")).toBeVisible();
  await c.main.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.dialog).toContainText("Close without saving the secrets?");
  await c.dialog.getByRole("button", { name: "Cancel" }).click();
  await c.page.getByRole("button", { name: "Sign out" }).click();
  await expect(c.dialog).toContainText("its API keys haven’t been downloaded");
  await c.dialog.getByRole("button", { name: "Cancel" }).click();
  const download = c.page.waitForEvent("download");
  await c.main.getByRole("button", { name: "Download results (CSV)" }).click();
  const [, row = ""] = (await saved(download)).toString().split("\r\n");
  const [key = "", secret = ""] = row.split(",").slice(-2);
  expect((await server.client({ key, secret }).getSelf()).username).toBe(name);
  await c.main.getByRole("button", { name: "Done", exact: true }).click();
  await expect(c.row("People", name)).toBeVisible();
});

test("a file is dropped", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const c = await openImport(open, organization);
  const transfer = await c.page.evaluateHandle((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "people.csv", { type: "text/csv" }));
    return data;
  }, `username\nann-${server.next()}\n`);
  const place = c.main.getByText("You can also drop the file here.");
  await place.dispatchEvent("dragover", { dataTransfer: transfer });
  await place.dispatchEvent("drop", { dataTransfer: transfer });
  await c.previews();
  await expect(c.rows("Rows")).toHaveCount(1);
});

for (const locale of ["en-US", "de-DE", "fr-FR"]) {
  test(`what the console exports is recognized again, ${locale}`, async ({ hospital, open, server }) => {
    const language = locale.slice(0, 2);
    const dictionary = fileURLToPath(new URL(`../src/text/${language}.json`, import.meta.url));
    const words = JSON.parse(readFileSync(dictionary, "utf8")) as Record<string, string>;
    const word = (name: string) => words[name] ?? name;
    const { organization } = await hospital({});
    const given = ["=Jörg; \"Joe\"", "+Ünal Çelik", "-Ærøskøbing", "@Łukasz", "'=Zoë", "O’Brien, 'Pat'", "Nguyễn Thị Hà", "张伟"];
    const users = Array.from({ length: 50 }, (_, i) => {
      const n = server.next();
      return {
        username: `exported-${n}`, display_name: `${given[i % given.length]} ${n}`, first_name: `Änne ${n}`, last_name: `=Ößel${n}`,
        emails: [`e${n}@example.com`, `second.${n}@example.com`], phones: [`+1415${2_000_000 + n}`, `+1212${2_000_000 + n}`],
        title: "@home", department: 'Ward "3"; West, 2nd',
      };
    });
    const made = await server.operator.in(organization).createUsers({ users });
    expect(made.results.flatMap(({ error }) => error ?? [])).toEqual([]);
    await server.operator.disableUser(users[0]?.username ?? "");
    const elsewhere = await hospital({});

    const page = await open(operator, "/", { locale });
    await page.request.post("/v2/session/elevate", {
      data: { password }, headers: { "Sec-Fetch-Site": "same-origin" },
    });
    const main = page.getByRole("main");
    await page.goto(`/console/organizations/${organization}/people`);
    const download = page.waitForEvent("download");
    await main.getByRole("button", { name: word("console.csv"), exact: true }).click();
    const exported = await saved(download);
    expect(exported.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));

    const file = { name: "people.csv", mimeType: "text/csv", buffer: exported };
    const left = [word("console.roles"), word("console.disabled"), word("console.lastSeen")].join(", ");
    for (const [into, outcome] of [
      [organization, word("console.existsSame")], // to the letter: nothing differs
      [elsewhere.organization, word("console.existsElsewhere")],
    ] as const) {
      await page.goto(`/console/organizations/${into}/people/import`);
      await main.getByLabel(word("console.chooseFile")).setInputFiles(file);
      await expect(main.getByText(word("console.allExist"))).toBeVisible();
      await expect(main.getByRole("cell", { name: outcome })).toHaveCount(into === organization ? 51 : 50); // and the operator
      await expect(main.getByText(left)).toBeVisible();
    }
  });
}
