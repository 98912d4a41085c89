// How the tests of the pages run. `make test-pages` builds what they need; DEVELOPING.md has more.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { defineConfig, type LaunchOptions } from "@playwright/test";

/**
 * launch says how a browser is started: the first of these that the machine has. Playwright's own is not downloaded.
 * Chromium's shell without windows is what Playwright takes by default, and needs a third less of the processor than the
 * browser with all that it draws around a page.
 */
export function launch(...browsers: string[]): LaunchOptions {
  const find = browsers.map((name) => `command -v ${name}`).join(" || ");
  let executablePath: string;
  try {
    executablePath = execFileSync("/bin/sh", ["-c", find], { encoding: "utf8" }).trim();
  } catch {
    throw new Error("the tests need Chromium (Debian: apt-get install chromium chromium-headless-shell)");
  }
  return {
    executablePath,
    chromiumSandbox: false,
    args: [
      "--disable-quic", "--disable-smooth-scrolling", "--disable-background-networking", "--disable-component-update",
      "--disable-sync",
    ],
  };
}

/** The browser that people have. */
export const whole = ["chromium", "chromium-browser"];

export default defineConfig({
  testDir: ".",
  outputDir: "../build/tests",
  fullyParallel: true,
  workers: availableParallelism() + 1, // a story waits for its server now and then
  forbidOnly: true,
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [["list"], ["json", { outputFile: "../build/tests.json" }]],
  use: {
    actionTimeout: 30_000,
    navigationTimeout: 30_000,
    locale: "en-US",
    viewport: { width: 1280, height: 800 },
    // Where nobody opens them, traces would only cost a tenth of the time.
    trace: process.env["CI"] ? "off" : { mode: "retain-on-failure", screenshots: false },
    launchOptions: launch("chromium-headless-shell", ...whole),
  },
});
