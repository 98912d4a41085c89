// A group and people, as they are seen.
import { Messenger } from "./fixtures/messenger.js";
import { picture } from "./fixtures/picture.js";
import { expect, test } from "./fixtures/test.js";

const widths = [1280, 800, 360];

/** beyond tells how far the end of a box is from being seen, once a change of the window has been drawn. */
const beyond = async (box: Element) => {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  return box.scrollHeight - box.scrollTop - box.clientHeight;
};

test("a talk is seen at its end at three widths and in both themes", async ({ hospital, open }) => {
  const { alice, bob, carol, hubert, nadia } = await hospital({
    alice: "Alice Ames", bob: "Bob Brown", carol: "Carol Clarke",
    hubert: "Wolfeschlegelsteinhausenbergerdorff-Hubert Blaine", nadia: "نادية الحسن",
  });
  const members = [bob, carol, hubert, nadia].map(({ token }) => token);
  const ward = await alice.client.createGroup({ name: "Ward 3", members });
  await bob.tell(alice, { body: "Lab: potassium 6.1, please call back.", priority: 1 });
  await hubert.tell(alice, "donaudampfschifffahrt".repeat(20));
  await nadia.tell(alice, "صباح الخير. هل السرير 12 شاغر؟");
  await bob.tell(ward, "Good morning.");
  await bob.tell(ward, "The results of bed 12 are in: https://lab.example.org/r/4711.");
  await bob.tell(ward, "Who can take her up to theatre?");
  await carol.tell(ward, "I can, in ten minutes.");
  await alice.tell(ward, "> Bob Brown:\n> Who can take her up?\n\nOn my way.");
  await carol.tell(ward, { body: "Thanks!", ttl: 55 });
  await nadia.tell(ward, { body: "شكرا", priority: 1 });

  const a = new Messenger(await open(alice));
  await expect(a.list.getByRole("listitem")).toContainText(["Ward 3", nadia.name, hubert.name, bob.name]);
  await expect(a.list.getByRole("listitem")).toHaveCount(4);
  await expect(a.entry("Ward 3").getByRole("img", { name: "6 unread" })).toHaveText("6");
  await a.open("Ward 3");
  await expect(a.items.filter({ hasText: /^6 new messages$/ })).toBeVisible();
  const words = ["Good morning.", "bed 12", "Who can", "I can", "On my way.", "Thanks!", "شكرا"];
  await expect(a.messages).toContainText(words);
  await expect(a.messages).toHaveCount(7);
  await expect(a.message("شكرا").getByText("شكرا", { exact: true })).toBeVisible();
  await expect(a.entry("Ward 3").getByRole("img", { name: "unread" })).toHaveCount(0);
  await a.field.fill("Theatre 2 is ready.");

  const atEnd = async () => {
    await expect.poll(() => a.page.getByRole("region", { name: "Messages" }).evaluate(beyond)).toBeLessThan(2);
    await expect(a.message("شكرا")).toBeInViewport();
  };
  await a.page.keyboard.press("Alt+PageDown"); // it has opened at the first one that was new
  await atEnd();
  for (const theme of ["light", "dark"] as const) {
    await a.page.emulateMedia({ colorScheme: theme });
    await atEnd();
    for (const width of widths) {
      await a.page.setViewportSize({ width, height: 800 });
      await atEnd();
      await picture(a.page, `talk-${theme}-${width}`);
    }
  }
  await a.page.getByRole("main").getByRole("button", { name: "Details" }).click();
  for (const width of widths) {
    await a.page.setViewportSize({ width, height: 800 });
    await expect(a.details.getByRole("heading", { name: "Ward 3" })).toBeVisible();
    await picture(a.page, `talk-details-${width}`);
  }
  await a.details.getByRole("button", { name: "Close" }).click();
  await expect(a.details).toHaveCount(0);
  await atEnd();
  await a.page.getByRole("main").getByRole("button", { name: "Back" }).click();
  await expect(a.entry("Ward 3")).toBeVisible();
  await expect(a.field).toHaveCount(0);
  await picture(a.page, "talk-list-360");
});

test("times are as the reader's country writes them", async ({ hospital, open }) => {
  const { alice, bob } = await hospital({ alice: "Alice Ames", bob: "Bob Brown" });
  await bob.tell(alice, "Good morning.");
  for (const [locale, time] of [["en-GB", /^\d\d:\d\d$/], ["en-US", /^\d{1,2}:\d\d\s[AP]M$/]] as const) {
    const a = new Messenger(await open(alice, "/", { locale }));
    await a.open("Bob Brown");
    await expect(a.message("Good morning.").getByRole("time")).toHaveText(time);
  }
});
