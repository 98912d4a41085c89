// The parts of the console whose script comes when they are needed.
import { later } from "../kit/later";

export const Import = later(async () => (await import("./Import")).Import);
