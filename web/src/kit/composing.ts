/**
 * isComposing tells whether a key belongs to an input method: the Enter that confirms a Japanese, Chinese or Korean word
 * sends nothing. Safari tells that by the key's code alone.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
