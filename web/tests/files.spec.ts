// The files of a conversation, in its details.
import type { Person } from "./fixtures/hospital.js";
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

const long = `${"a-very-long-name-".repeat(8)}.csv`;

test("the files of a conversation are listed in its details, as far back as one looks", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  const page = await open(alice, `/c/${bob.token}/details`);
  const files = new Messenger(page).details.getByRole("region", { name: "Files" });
  const listed = files.getByRole("listitem");
  await expect(files.getByText("No files in this conversation.", { exact: true })).toBeVisible();
  await page.goto("/"); // what is open is read, and its messages stay loaded
  const send = async (from: Person, to: Person, name: string, dor = false) => {
    await from.tell(to, { dor, attachment: new File(["potassium 6.1"], name) });
  };
  await send(alice, bob, "old.pdf");
  for (let i = 0; i < 320; i++) await alice.tell(bob, `Bed ${i}`); // more than are loaded by themselves
  await send(bob, alice, "labs.pdf");
  await send(bob, alice, long);
  await send(bob, alice, "sealed.pdf", true);

  await page.goto(`/c/${bob.token}/details`);
  const labs = /^labs\.pdf13.*B.*Bob Brown/;
  await expect(listed).toHaveText([new RegExp(`^${long}`), labs]);
  for (const width of [1280, 800, 360]) await inBothThemes(page, "files", width);
  const link = files.getByRole("link", { name: long });
  await expect(link).toHaveAttribute("href", /\/attachment\/1$/);
  await expect(link).toHaveAttribute("download", long);
  await files.getByRole("button", { name: "Find older files" }).click();
  await expect(listed).toHaveText([new RegExp(`^${long}`), labs, /^old\.pdf/]);
  await expect(files.getByRole("button")).toHaveCount(0); // there are no older ones
});
