/** A name folded for comparison without regard to case: normalised (NFC) and lower case. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The least text that sorts after every text with this prefix, by code point; for index ranges. */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
