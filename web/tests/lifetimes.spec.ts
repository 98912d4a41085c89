// How long messages last, as an administrator sets it: in minutes, hours or days, or for good.
import type { Locator } from "@playwright/test";
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

/** Field is the field for a length of time. */
class Field {
  readonly amount: Locator;
  readonly unit: Locator;

  constructor(c: Console, label: string) {
    this.amount = c.main.getByRole("textbox", { name: label });
    this.unit = c.main.getByRole("group", { name: label }).getByLabel("Unit");
  }

  async shows(amount: string, unit: string): Promise<void> {
    await expect(this.amount).toHaveValue(amount);
    await expect(this.unit).toHaveValue(unit);
  }
}

test("lifetimes are told and set in the unit that fits, and stay exact", async ({ server, hospital, open }) => {
  const { organization } = await hospital({}, { ttl: 90, max_ttl: 180 });
  const stored = async () => {
    const { settings } = await server.operator.getOrganization(organization);
    return Object.fromEntries(settings.map(({ name, value }) => [name, value]));
  };
  const c = new Console(await open(operator, `/console/organizations/${organization}/settings`));
  await c.elevate();
  const usual = new Field(c, "Messages expire after");
  const longest = new Field(c, "Longest expiration allowed");
  const save = async () => {
    await c.main.getByRole("button", { name: "Save" }).click();
    await expect(c.page.getByText("Saved.", { exact: true })).toBeVisible();
    await expect(c.page.getByText("Saved.", { exact: true })).toHaveCount(0);
  };
  await usual.shows("90", "minutes");
  await longest.shows("3", "hours");
  await save(); // nothing was touched
  expect(await stored()).toMatchObject({ ttl: 90, max_ttl: 180 });

  await usual.amount.fill("7");
  await usual.unit.selectOption("days");
  await longest.amount.fill("36");
  await longest.unit.selectOption("days");
  await save();
  expect(await stored()).toMatchObject({ ttl: 7 * 1440, max_ttl: 36 * 1440 });
  await c.page.reload();
  await usual.shows("7", "days");
  await longest.shows("36", "days");

  await longest.unit.selectOption("No limit");
  await usual.unit.selectOption("Never");
  await expect(usual.amount).toHaveCount(0);
  await save();
  expect(await stored()).toMatchObject({ ttl: -1, max_ttl: -1 });
  await c.page.reload();
  await expect(usual.unit).toHaveValue("never");

  // What no message may have is refused at its field, in words.
  await usual.unit.selectOption("days");
  await usual.amount.fill("soon");
  await c.main.getByRole("button", { name: "Save" }).click();
  await expect(usual.amount).toHaveAccessibleDescription("Check this entry.");
  await usual.amount.fill("400");
  await c.main.getByRole("button", { name: "Save" }).click();
  await expect(usual.amount).toHaveAccessibleDescription("Choose a time from 1 minute to 365 days.");
  expect(await stored()).toMatchObject({ ttl: -1 });
});
