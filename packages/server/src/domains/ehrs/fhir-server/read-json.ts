import { type JsonValue, parseJson } from '@ploidy/formats/fhir-documents';
import type { EhrError } from './ehr-error.ts';

/** Maximum document size: documents are parsed on the event loop, where a larger one would block requests. */
export const documentBytesMax = 8 * 1024 * 1024;

/**
 * Reads a whole body as JSON; `undefined` if it is not JSON. Throws the error of `tooLarge(MiB)` as soon as
 * the body exceeds the limit.
 */
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
    // TextDecoder removes a byte order mark, which JSON forbids.
    return parseJson(new TextDecoder().decode(Buffer.concat(parts))) as JsonValue;
  } catch {
    return undefined;
  }
}
