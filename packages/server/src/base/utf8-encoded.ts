/**
 * Reports whether percent-encoded bytes are UTF-8. Each run is checked alone: the text between runs is UTF-8.
 */
export function isUtf8Encoded(text: string): boolean {
  for (const [row] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) if (!isDecodable(row)) return false;
  return true;
}

function isDecodable(row: string): boolean {
  try {
    decodeURIComponent(row);
    return true;
  } catch {
    return false;
  }
}
