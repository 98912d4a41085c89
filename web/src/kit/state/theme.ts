// Light or dark: as the system has it, or as the person chose on this device.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const stored = "signet-theme";
const kept = localStorage.getItem(stored);

export const theme = signal<Theme>(kept === "light" || kept === "dark" ? kept : "system");
theme.subscribe((chosen) => {
  if (chosen === "system") localStorage.removeItem(stored);
  else localStorage.setItem(stored, chosen);
  document.documentElement.dataset["theme"] = chosen;
});
