// What the tests of the pages must not do: wait for a time, find things by place, or hold nothing.
import parser from "@typescript-eslint/parser";
import playwright from "eslint-plugin-playwright";

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
];
