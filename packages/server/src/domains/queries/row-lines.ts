import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { EngineError, type QueryOutcome } from '@ploidy/engine';
import { Problem } from '../../base/problem.ts';
import type { Blobs } from '../../platform/blobs/blobs.ts';
import { temporaryProblem } from '../lake/index.ts';

/** File of rows in the scratch space. */
export interface RowsFile {
  outcome: QueryOutcome;
  path: string;
}

/** Returns the object `head` with the rows of a file as its last member, `rows`. The file is removed after it was read. */
export function rowsBody(blobs: Blobs, head: object, { path, outcome }: RowsFile): Readable {
  return removedAfter(blobs, path, Readable.from(linesAfter(JSON.stringify(head), path, outcome.size)));
}

/** Removes a scratch file when its reading ends. */
export function removedAfter(blobs: Blobs, path: string, body: Readable): Readable {
  // The end of a generator is not reached where reading never began. The sweep removes what cannot be removed here.
  return body.once('close', () => blobs.discardScratch(path).catch(() => undefined));
}

/** Streams the lines of a file as the elements of an array, the last member of the object `head`. */
async function* linesAfter(head: string, path: string, size: number): AsyncGenerator<Buffer> {
  yield Buffer.from(`${head.slice(0, -1)},"rows":[`);
  // Without the end of the last line. JSON escapes those within texts.
  if (size > 1) {
    for await (const chunk of createReadStream(path, { end: size - 2 })) {
      const bytes = chunk as Buffer;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) bytes[at] = 44;
      yield bytes;
    }
  }
  yield Buffer.from(']}');
}

/** Returns the problem of a run that failed for a reason of the statement. */
export function problemOfRows(error: unknown, signal: AbortSignal): Problem | undefined {
  if (signal.aborted || !(error instanceof EngineError)) return undefined;
  const lost = temporaryProblem(error);
  if (lost || error.code === 'WORKER_LOST' || error.code === 'INPUT') return lost;
  const advice = error.code === 'SQL' ? '' : ' Ask for fewer rows, or start a query that writes a file.';
  return new Problem(422, `QUERY_${error.code}`, `${error.message}${advice}`, { cause: error });
}
