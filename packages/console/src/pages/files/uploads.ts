import { useSyncExternalStore } from 'react';
import { api, take } from '../../api/client.ts';
import { sendInParts } from './parts.ts';
import { put } from './put.ts';
import { bodyOf, type Upload } from './upload.ts';
import { withRetries } from './with-retries.ts';

/** Larger files are sent in parts, which an interruption does not lose. */
const wholeMaxBytes = 16 * 1024 * 1024;
const atOnceMax = 3;

let uploads: readonly Upload[] = [];
const listeners = new Set<() => void>();

function change(key: string, fields: Partial<Upload>): void {
  uploads = uploads.map((one) => (one.key === key ? { ...one, ...fields } : one));
  for (const listener of listeners) listener();
}

/** Uploads of this window, which go on while other pages are shown. */
export function useUploads(project: string): Upload[] {
  const all = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );
  return all.filter((one) => one.project === project);
}

/** Puts files into the queue. `named`: their paths in the project. */
export function addUploads(
  project: string,
  files: { file: File; name: string }[],
  options: { ingest: boolean; overwrite: boolean },
  done: () => void,
): void {
  const added = files.map(({ file, name }) => ({
    ...options,
    key: crypto.randomUUID(),
    project,
    name,
    file,
    size: file.size,
    sent: 0,
    state: 'waiting' as const,
    stop: new AbortController(),
  }));
  uploads = [...uploads, ...added];
  for (const listener of listeners) listener();
  void advance(done);
}

/** Ends an upload; parts that have arrived are kept by the service for a while. */
export function cancelUpload({ key, stop }: Upload): void {
  change(key, { state: 'cancelled' });
  stop.abort();
}

/** Sends an upload again that failed. */
export function retryUpload({ key }: Upload, done: () => void): void {
  change(key, { state: 'waiting', sent: 0, stop: new AbortController() });
  void advance(done);
}

/** Forgets uploads that have ended. */
export function forgetEnded(project: string): void {
  uploads = uploads.filter((one) => one.project !== project || ['waiting', 'sending'].includes(one.state));
  for (const listener of listeners) listener();
}

async function advance(done: () => void): Promise<void> {
  const running = uploads.filter(({ state }) => state === 'sending').length;
  const next = uploads.find(({ state }) => state === 'waiting');
  if (!next || running >= atOnceMax) return;
  change(next.key, { state: 'sending' });
  const others = advance(done);
  try {
    const report = (fields: Partial<Upload>): void => change(next.key, fields);
    await (next.size > wholeMaxBytes ? sendInParts(next, report) : sendWhole(next, report));
    change(next.key, { state: 'done', sent: next.size });
    done();
  } catch (error) {
    if (!next.stop.signal.aborted) change(next.key, { state: 'failed', error: error as Error });
  }
  await others;
  await advance(done);
}

function sendWhole(upload: Upload, report: (fields: Partial<Upload>) => void): Promise<void> {
  const { file, stop } = upload;
  return withRetries(stop.signal, report, async () => {
    const { uploadUrl } = await take(api.POST('/v1/files', { body: bodyOf(upload) }));
    await put(uploadUrl, file, stop.signal, (sent) => report({ sent }));
  });
}
