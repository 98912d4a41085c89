/** Told is what the page itself has to say of why something was not done. */
export class Told extends Error {
  override readonly name = "Told";

  constructor(readonly words: () => string) {
    super("told");
  }
}
