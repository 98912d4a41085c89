// What the tests of the pages must not do: wait for a time, find things by place, or hold nothing. And what the modules
// of the pages may know of each other.
import parser from "@typescript-eslint/parser";
import playwright from "eslint-plugin-playwright";
import circles from "./circles.mjs";

/** What the modules of a folder of src may import beside their neighbours. */
const known = {
  client: [],
  worker: [],
  first: [],
  text: [],
  kit: ["client", "text"],
  messenger: ["client", "kit", "text", "style"],
  console: ["client", "kit", "text", "style"],
  docs: ["client", "kit", "text", "style"],
};

export default [
  {
    ...playwright.configs["flat/recommended"],
    files: ["tests/**/*.ts"],
    languageOptions: { parser },
    rules: {
      ...playwright.configs["flat/recommended"].rules,
      "playwright/no-nth-methods": "error",
      "playwright/no-raw-locators": "error",
      "playwright/no-wait-for-timeout": "error",
      "playwright/no-skipped-test": "error",
      "playwright/prefer-web-first-assertions": "error",
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    languageOptions: { parser },
    plugins: { signet: { rules: { circles } } },
    rules: { "signet/circles": "error" },
  },
  ...Object.entries(known).map(([folder, others]) => ({
    files: [`src/${folder}/**/*.{ts,tsx}`],
    rules: {
      "no-restricted-imports": ["error", {
        patterns: [{
          // Out of a folder's own state too: what is known does not depend on how it is shown.
          regex: `^(\\.{1,2}/)*\\.\\./(?!\\.{1,2}/|mark\\.json${others.map((other) => `|${other}/`).join("")})`,
          message: `src/${folder} imports its own${others.map((other) => `, ${other}`).join("")}; nothing else.`,
        }],
      }],
    },
  })),
];
