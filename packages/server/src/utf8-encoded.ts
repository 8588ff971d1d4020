/** Whether what stands behind percent signs is UTF-8: each row of them by itself, because what is around them is. */
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
