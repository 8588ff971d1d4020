/** Position of a text in the source. `entry`: number of a Bundle entry or list element, from 1. */
export interface Place {
  line: number;
  column: number;
  entry?: number | undefined;
}

/** Returns the place of an offset of a text that begins at a place. */
export function advance(place: Place, text: string, offset: number): Place {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  if (lineStart === 0) return { ...place, column: place.column + offset };
  const lines = before.split('\n').length - 1;
  return { ...place, line: place.line + lines, column: offset - lineStart + 1 };
}
