import { ClientError } from './client-error.ts';
import type { Content, TransferOptions } from './upload-parts.ts';

/** Stream of Node that bytes are written to, such as `process.stdout`. */
export interface ByteSink {
  write(chunk: Uint8Array): boolean;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
}

/** Rejects the path of a local file: browsers load this in place of `upload.ts`, by `imports` of the package. */
export async function localFile(_path: string): Promise<Content | undefined> {
  throw noFiles();
}

/** Rejects a stream: browsers send no request of unknown length. */
export async function putTo(
  _url: string,
  _from: string | AsyncIterable<Uint8Array>,
  _options: TransferOptions,
): Promise<void> {
  throw noFiles();
}

/** Rejects a path or stream as the target of a download: browsers load this in place of `save.ts`. */
export async function save(
  _bytes: AsyncIterable<Uint8Array>,
  _sink: string | ByteSink,
  _signal?: AbortSignal,
): Promise<void> {
  throw noFiles();
}

function noFiles(): ClientError {
  const message = 'Browsers have no paths and no streams of Node. Upload a Blob, and read a file by bytes().';
  return new ClientError(message, { status: 0, code: 'NO_FILES' });
}
