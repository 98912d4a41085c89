// Importing people comes when somebody does it, on its page and at the first start.
import { later } from "../kit/later";

export const Import = later(async () => (await import("./Import")).Import);
