import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type ExportFile, unusable } from './bulk-export.ts';

/** Reads NDJSON as it arrives and counts its lines. Throws `EhrError` if the content is something else. */
export async function* readExportFile(
  body: AsyncIterable<Buffer>,
  { type }: Pick<ExportFile, 'type'>,
  content: { lines: number },
): AsyncGenerator<Buffer> {
  let last = 0x0a;
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of inflated(body, type)) {
    if (head) head = refuseOther(Buffer.concat([head, chunk.subarray(0, headBytes)]), type);
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) content.lines += 1;
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
  if (head) refuseOther(Buffer.concat([head, Buffer.from('\n')]), type);
  if (last === 0x0a) return;
  content.lines += 1;
  yield Buffer.from('\n');
}

/** Bytes examined to detect the content. */
const headBytes = 64 * 1024;

/**
 * Refuses compressed files, gateway pages and OperationOutcomes served with status 200: their lines would be
 * skipped silently and data lost for good. Returns the head while undecided. A broken resource is accepted:
 * the others count.
 */
function refuseOther(head: Buffer, type: string): Buffer | undefined {
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (text === '') return head;
  if (!text.startsWith('{')) throw unusable(`its file of ${type} is no NDJSON`);
  const end = text.indexOf('\n');
  if (end < 0 && head.length < headBytes) return head;
  const isOutcome = /"resourceType"\s*:\s*"OperationOutcome"/.test(text.slice(0, end < 0 ? undefined : end));
  if (isOutcome && type !== 'OperationOutcome' && !isOfType(text, end, type))
    throw unusable(`instead of its file of ${type} it gives an error`);
  return undefined;
}

/** Reports whether the first line is a resource of the type, which may contain an outcome. */
function isOfType(text: string, end: number, type: string): boolean {
  if (end < 0) return true;
  try {
    return (JSON.parse(text.slice(0, end)) as { resourceType?: unknown }).resourceType === type;
  } catch {
    return true;
  }
}

/** Decompresses files that systems serve as stored (`.ndjson.gz`) without a header. */
async function* inflated(body: AsyncIterable<Buffer>, type: string): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = joined(head, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* whole;
  try {
    // The reader receives the errors of both streams.
    yield* pipeline(Readable.from(whole, { objectMode: false }), createGunzip(), () => undefined);
  } catch (error) {
    const isDamaged = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw isDamaged ? unusable(`its file of ${type} is compressed, and damaged`) : error;
  }
}

async function* joined(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head;
  yield* { [Symbol.asyncIterator]: () => rest };
}
