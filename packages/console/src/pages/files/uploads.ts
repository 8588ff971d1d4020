import { type PartedUpload, PloidyClient } from '@ploidy/client';
import { useSyncExternalStore } from 'react';
import { connection } from '../../api/client.ts';

/** A file on its way to the service. */
export interface Upload {
  key: string;
  project: string;
  name: string;
  size: number;
  sent: number;
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
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
  const kept = `ploidy-upload:${project}:${digestOf(name)}:${file.size}:${file.lastModified}`;
  const id = await client.upload(project, name, file, {
    ...(/^[\w.+-]+\/[\w.+-]+$/.test(type) && { contentType: type }),
    ...(ingest && !companions.test(name) && { ingest }),
    ...(overwrite && { overwrite }),
    resume: begunIn(kept),
    onPart: (state) => localStorage.setItem(kept, JSON.stringify(state)),
    onBytes: (sent) => change(key, { sent, isStalled: false }),
    patience: { outageMaxMs, pauseMaxMs, onPause: () => change(key, { isStalled: true }) },
    signal: stop.signal,
  });
  localStorage.removeItem(kept);
  return id;
}

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
