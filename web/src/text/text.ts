// The words of the pages. No other file has any.
import en from "./en.json";

export type Text = keyof typeof en;

/** text returns a text, with what is in braces filled in. */
export function text(name: Text, values: Record<string, string | number> = {}): string {
  return en[name].replace(/\{(\w+)\}/g, (_, key: string) => String(values[key] ?? ""));
}
