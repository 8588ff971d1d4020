/** Bounds of a number, both inclusive. */
export interface Bounds {
  min: number;
  max: number;
}

/** Longest text of a number: an exact one has 16 digits, with a sign, a point and a fraction. */
const textMax = 32;

/**
 * Reads a whole number that a caller wrote, in decimal digits: in a header, a form, a session property, the header of a file.
 * `undefined` for any other text and for a number out of bounds. The one way from the text of a caller to a number.
 */
export function readInteger(text: string, { min, max }: Bounds): number | undefined {
  return /^-?\d+$/.test(text) ? readNumber(text, { min, max }) : undefined;
}

/** Reads a number with or without a fraction, as `readInteger`. */
export function readNumber(text: string, { min, max }: Bounds): number | undefined {
  if (text.length > textMax || !/^-?\d+(?:\.\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
