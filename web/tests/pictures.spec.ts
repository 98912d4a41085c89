// Pictures in the whole window: enlarged, moved, one after the other.
import type { CDPSession } from "@playwright/test";
import { Messenger } from "./fixtures/messenger.js";
import { inBothThemes } from "./fixtures/picture.js";
import { png } from "./fixtures/png.js";
import { expect, test } from "./fixtures/test.js";

const names = { alice: "Alice Ames", bob: "Bob Brown" };
const scan = (name: string) => ({ attachment: new File([png(400, 300)], name, { type: "image/png" }) });

/** pinch draws two fingers apart over a place, or together. */
async function pinch(session: CDPSession, at: { x: number; y: number }, from: number, to: number): Promise<void> {
  const points = (apart: number) => [{ x: at.x - apart, y: at.y, id: 0 }, { x: at.x + apart, y: at.y, id: 1 }];
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(from) });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points((from + to) / 2) });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(to) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("pictures are looked at in the whole window, one after the other", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(names);
  await bob.tell(alice, scan("wound.png"));
  await alice.tell(bob, "Thanks. And the ECG?");
  await bob.tell(alice, scan("ecg.png"));
  await bob.tell(alice, { ...scan("hidden.png"), dor: true }); // is not shown before it is opened
  const m = new Messenger(await open(alice, `/c/${bob.token}`, { viewport: { width: 360, height: 640 }, hasTouch: true }));
  const { page, dialog } = m;
  await m.messages.getByRole("button", { name: "View wound.png" }).click();
  const shown = dialog.getByRole("img");
  await expect(shown).toHaveAccessibleName("wound.png");
  await expect(dialog.getByRole("figure")).toContainText(/wound\.png\s*Bob Brown · .*1 of 2/);
  const { width = 0, height = 0 } = (await dialog.boundingBox()) ?? {};
  expect([width, height]).toEqual([360, 640]);
  await expect.poll(async () => (await shown.boundingBox())?.width).toBe(360);
  await inBothThemes(page, "picture", 360);

  // By keys, and by a swipe.
  await page.keyboard.press("ArrowRight");
  await expect(shown).toHaveAccessibleName("ecg.png");
  await page.keyboard.press("ArrowRight"); // there is no other
  await expect(dialog.getByRole("button", { name: "Next picture" })).toBeDisabled();
  await page.keyboard.press("PageUp");
  await expect(shown).toHaveAccessibleName("wound.png");
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", x?: number) =>
    session.send("Input.dispatchTouchEvent", { type, touchPoints: x === undefined ? [] : [{ x, y: 300 }] });
  await touch("touchStart", 300);
  await touch("touchMove", 200);
  await touch("touchMove", 100);
  await touch("touchEnd");
  await expect(shown).toHaveAccessibleName("ecg.png");

  // A key that is pressed as soon as the next picture is there enlarges it.
  await page.keyboard.press("PageUp");
  await expect(shown).toHaveAccessibleName("wound.png");
  await page.evaluate(async () => {
    const press = (key: string) => dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    const there = () => document.querySelector('dialog img[alt="ecg.png"]');
    press("PageDown");
    for (let i = 0; i < 100 && !there(); i++) await Promise.resolve();
    press("+");
  });
  await expect(shown).toHaveAccessibleName("ecg.png");
  await expect.poll(async () => (await shown.boundingBox())?.width).toBe(540);
  await page.keyboard.press("0");

  // Larger and smaller.
  const scale = async () => ((await shown.boundingBox())?.width ?? 0) / 360;
  await page.keyboard.press("+");
  await expect.poll(scale).toBeCloseTo(1.5);
  await page.keyboard.press("0");
  await expect.poll(scale).toBeCloseTo(1);
  await page.mouse.move(180, 300);
  await page.mouse.wheel(0, -500);
  await expect.poll(scale).toBeGreaterThan(2);
  const left = async () => (await shown.boundingBox())?.x ?? 0;
  const before = await left();
  await page.keyboard.press("ArrowRight"); // moves what is larger than the window
  await expect.poll(left).toBeLessThan(before);
  await expect(shown).toHaveAccessibleName("ecg.png");
  await dialog.getByRole("button", { name: "Reduce" }).click();
  await page.keyboard.press("0");
  await pinch(session, { x: 180, y: 300 }, 40, 120);
  await expect.poll(scale).toBeCloseTo(3);
  await expect(page.getByRole("menu")).toHaveCount(0); // of the message behind it, which a held finger opens
  await page.keyboard.press("PageUp"); // the next one is whole again
  await expect(shown).toHaveAccessibleName("wound.png");
  await expect.poll(scale).toBeCloseTo(1);

  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(m.messages.getByRole("button", { name: "View wound.png" })).toBeFocused();
});

test("a picture that is taken back while somebody looks at it is gone", async ({ hospital, open }) => {
  const { alice, bob } = await hospital(names);
  const id = await bob.tell(alice, scan("wound.png"));
  const m = new Messenger(await open(alice, `/c/${bob.token}`));
  await m.messages.getByRole("button", { name: "View wound.png" }).click();
  await expect(m.dialog.getByRole("img", { name: "wound.png" })).toBeVisible();
  await bob.client.recallMessage(id);
  await expect(m.dialog).toHaveCount(0);
});
