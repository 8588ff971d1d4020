/** Reads the values of INFO by their keys; of a repeated key the first, of a flag an empty one. */
export function infoOf(text: string): Map<string, string> {
  const info = new Map<string, string>();
  for (const entry of text.split(';')) {
    const equals = entry.indexOf('=');
    const key = equals < 0 ? entry : entry.slice(0, equals);
    if (entry !== '.' && !info.has(key)) info.set(key, equals < 0 ? '' : entry.slice(equals + 1));
  }
  return info;
}
