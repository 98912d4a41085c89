// Where one was in a conversation, to find it there on coming back.

/** A message, at pixels from the top. */
export interface Place {
  id: string;
  top: number;
}

const places = new Map<string, Place>();

/** placeOf returns where one was; undefined at the end, or where one has not been. */
export function placeOf(key: string): Place | undefined {
  return places.get(key);
}

export function keepPlace(key: string, place: Place | undefined): void {
  if (place) places.set(key, place);
  else places.delete(key);
}
