// How the benchmarks run: `playwright test -c tests/speed.config.ts`, on a machine that does nothing else.
import { defineConfig } from "@playwright/test";
import config from "./playwright.config.js";

export default defineConfig(config, {
  testMatch: "**/*.bench.ts",
  workers: 1,
  timeout: 0,
  reporter: "list",
  use: { trace: "off" }, // it would be measured too
});
