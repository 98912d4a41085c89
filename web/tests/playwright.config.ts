// How the tests of the pages run. `make test-pages` builds what they need; DEVELOPING.md has more.
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { defineConfig } from "@playwright/test";

/** The machine's own Chromium: Playwright's is not downloaded. */
function chromium(): string {
  try {
    return execFileSync("/bin/sh", ["-c", "command -v chromium || command -v chromium-browser"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error("the tests need Chromium (Debian: apt-get install chromium)");
  }
}

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
    trace: { mode: "retain-on-failure", screenshots: false },
    launchOptions: {
      executablePath: chromium(),
      chromiumSandbox: false,
      args: [
        "--disable-quic", "--disable-smooth-scrolling", "--disable-background-networking", "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
