// Whose server this is: the name and the logo of the house, where whoever runs it has set them.
import { signal } from "@preact/signals";
import type { Reply } from "../../client/index";
import { text } from "../../text/text";
import { client } from "./session";

const none: Reply<"getBrand"> = { name: "", logo: false };

/** Undefined until it is known, which a page waits for as it waits for who is signed in. */
export const brand = signal<Reply<"getBrand"> | undefined>(undefined);

/** How long that may take, in milliseconds. What is shown then stays: nothing moves when it comes later. */
const patience = 2000;

/** loadBrand asks for it. Without an answer the pages have the name of the product. */
export async function loadBrand(): Promise<void> {
  const late = new Promise<typeof none>((resolve) => setTimeout(resolve, patience, none));
  brand.value = await Promise.race([client.getBrand().catch(() => none), late]);
}

/** siteName is what the pages go by: the name of the house, or else of the product. */
export function siteName(): string {
  return brand.value?.name || text("app");
}
