import type { JsonValue } from '@ploidy/formats';
import type { EhrError } from './ehr-error.ts';

/** A document is parsed where requests are answered: a larger one would keep them waiting. */
export const documentBytesMax = 8 * 1024 * 1024;

/** The JSON of a whole body, or `undefined` when it is none. Throws what `tooLarge` makes of so many MiB as soon as there are more. */
export async function readJson(
  body: AsyncIterable<Buffer>,
  tooLarge?: (mebibytesMax: number) => EhrError,
): Promise<JsonValue | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (tooLarge && bytes > documentBytesMax) throw tooLarge(documentBytesMax / 1024 ** 2);
    parts.push(part);
  }
  try {
    // Without a byte order mark, which JSON does not know.
    return JSON.parse(new TextDecoder().decode(Buffer.concat(parts))) as JsonValue;
  } catch {
    return undefined;
  }
}
