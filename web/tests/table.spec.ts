// The tables of the console, which the interface gives in pages.
import { Console } from "./fixtures/console.js";
import { expect, operator, test } from "./fixtures/test.js";

test("a table sorts all that there is, not what it has loaded", async ({ hospital, open, server }) => {
  const { organization } = await hospital({});
  const names = Array.from({ length: 350 }, (_, i) => `Person ${String(i).padStart(5, "0")}`);
  const users = names.map((name) => ({ username: `person-${server.next()}`, display_name: name }));
  const made = await server.operator.in(organization).createUsers({ users });
  expect(made.results.flatMap(({ error }) => error ?? [])).toEqual([]);

  const c = new Console(await open(operator, `/console/organizations/${organization}`));
  await c.elevate();
  const table = c.page.getByRole("table");
  const rows = table.getByRole("row").getByRole("link"); // each row has one, at its name
  const more = c.main.getByRole("button", { name: "Load more" });
  await expect(c.main.getByRole("status")).toHaveText("50 loaded");
  await expect(rows).toHaveCount(50);
  await more.click();
  await expect(c.main.getByRole("status")).toHaveText("100 loaded");
  await expect(rows).toHaveCount(100);

  const sort = table.getByRole("button", { name: "Name", exact: true });
  const column = table.getByRole("columnheader", { name: "Name", exact: true });
  await sort.click();
  await expect(rows).toHaveCount(351);
  await expect(rows).toContainText(["Operator", ...names]); // so many as there are: in this order
  await expect(column).toHaveAttribute("aria-sort", "ascending");
  await expect(more).toHaveCount(0);
  await expect(c.main.getByRole("status")).toHaveCount(0);
  await sort.click();
  await expect(rows).toContainText([...names.toReversed(), "Operator"]);
  await expect(rows).toHaveCount(351);
  await expect(column).toHaveAttribute("aria-sort", "descending");
});
