import type { JsonValue } from '@ploidy/formats';

/** The JSON of a whole body, or `undefined` when it is none. */
export async function readJson(body: AsyncIterable<Buffer>): Promise<JsonValue | undefined> {
  const text = Buffer.concat(await Array.fromAsync(body)).toString('utf8');
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
