import { passing, SignetError } from "../client/index";

/** mayPass tells whether the same call may do better later: the server did not answer, or it was busy. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof SignetError) || passing(error);
}
