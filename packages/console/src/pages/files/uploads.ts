import { type PartedUpload, PloidyClient } from '@ploidy/client';
import { useSyncExternalStore } from 'react';
import { connection } from '../../api/client.ts';
import { keptAs } from '../../api/place.ts';

/** A file on its way to the service. */
export interface Upload {
  key: string;
  project: string;
  name: string;
  size: number;
  sent: number;
  state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'cancelled';
  /** Bytes that were there at the first progress, and the time of that; the speed is counted from it. */
  begun?: { sent: number; at: number };
  /** The service cannot be reached; the upload goes on once it can. */
  isStalled?: boolean;
  error?: Error;
  /** Id of the file, once it is there. */
  id?: string;
  file: File;
  ingest: boolean;
  overwrite: boolean;
  stop: AbortController;
}

const client = new PloidyClient(connection);
const atOnceMax = 3;
/** Quarter of an hour: longer than a restart of the service or a change of network takes. */
const outageMaxMs = 900_000;
const pauseMaxMs = 15_000;

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

/** Stops an upload; `retryUpload` goes on behind the parts that have arrived. */
export function pauseUpload({ key, stop }: Upload): void {
  change(key, { state: 'paused' });
  stop.abort();
}

/** Sends an upload again that failed or was paused. */
export function retryUpload({ key }: Upload, done: () => void): void {
  uploads = uploads.map((one) => {
    const { begun: _begun, error: _error, ...rest } = one;
    return one.key === key ? { ...rest, state: 'waiting', stop: new AbortController() } : one;
  });
  change(key, {});
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
    const id = await send(next);
    change(next.key, { state: 'done', sent: next.size, id });
    done();
  } catch (error) {
    if (!next.stop.signal.aborted) change(next.key, { state: 'failed', error: error as Error });
  }
  await others;
  await advance(done);
}

/** Indexes and checksums of files: they are kept, and there is nothing in them to ingest. */
const companions = /\.(?:bai|csi|tbi|crai|fai|gzi|md5|sha256)$/i;

/**
 * Sends a file, and resolves to its id. Large ones go in parts, from where an earlier attempt with the same file stopped, also
 * before a reload.
 */
async function send({ key, project, name, file, ingest, overwrite, stop }: Upload): Promise<string> {
  // Browsers take variants for address cards, which have the same ending.
  const type = file.type === 'text/x-vcard' || file.type === 'text/vcard' ? 'text/plain' : file.type;
  const kept = keyOf(project, name, file);
  const id = await client.upload(project, name, file, {
    ...(/^[\w.+-]+\/[\w.+-]+$/.test(type) && { contentType: type }),
    ...(ingest && !companions.test(name) && { ingest }),
    ...(overwrite && { overwrite }),
    resume: begunIn(kept),
    onPart: (state) => localStorage.setItem(kept, JSON.stringify(state)),
    onBytes: (sent) => {
      const begun = uploads.find((one) => one.key === key)?.begun ?? { sent, at: performance.now() };
      change(key, { sent, begun, isStalled: false });
    },
    patience: { outageMaxMs, pauseMaxMs, onPause: () => change(key, { isStalled: true }) },
    signal: stop.signal,
  });
  localStorage.removeItem(kept);
  return id;
}

const keyPrefix = (project: string): string => keptAs(`upload:${project}:`);
const keyOf = (project: string, name: string, { size, lastModified }: File): string =>
  `${keyPrefix(project)}${digestOf(name)}:${size}:${lastModified}`;

/** Returns the place of the state of an upload in this browser. Its name is not kept there: it may be that of a patient. */
export const placeOf = (uploadId: string, project: string): string | undefined =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(keyPrefix(project)))
    .find((key) => begunIn(key)?.uploadId === uploadId);

/** Reports whether an upload goes on in this window. */
export const isUnderWay = (uploadId: string): boolean =>
  uploads.some(
    (one) =>
      one.state !== 'cancelled' && begunIn(keyOf(one.project, one.name, one.file))?.uploadId === uploadId,
  );

/** Reports whether a file under a name is the one of an upload that was cut off. */
export const isSame = (uploadId: string, project: string, name: string, file: File): boolean =>
  placeOf(uploadId, project) === keyOf(project, name, file);

/** Forgets the state of an upload that was removed. */
export function forgetUnfinished(uploadId: string, project: string): void {
  const place = placeOf(uploadId, project);
  if (place !== undefined) localStorage.removeItem(place);
}

/** Asks before the window is closed while files are on their way. */
addEventListener('beforeunload', (event) => {
  if (uploads.some(({ state }) => state === 'sending' || state === 'waiting')) event.preventDefault();
});

/** Reads the state of an upload that was cut off. One of another version of the console is none. */
function begunIn(key: string): PartedUpload | undefined {
  const begun: Partial<PartedUpload> = JSON.parse(localStorage.getItem(key) ?? '{}');
  const { id, uploadId, parts } = begun;
  return id !== undefined && uploadId !== undefined && parts ? { id, uploadId, parts } : undefined;
}

/** Digests a name, to keep none of a patient in the browser. FNV-1a distinguishes names and hides nothing from a search. */
function digestOf(name: string): number {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) digest = Math.imul(digest ^ byte, 0x01000193);
  return digest >>> 0;
}
