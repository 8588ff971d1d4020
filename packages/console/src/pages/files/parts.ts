import { api, take } from '../../api/client.ts';
import { put } from './put.ts';
import { bodyOf, type Upload } from './upload.ts';
import { withRetries } from './with-retries.ts';

const partBytes = 16 * 1024 * 1024;
const partsMax = 9000;

/** Progress of an upload in parts, kept so that a reload of the page does not lose it. */
interface Begun {
  uploadId: string;
  size: number;
  done: number[];
}

/** Sends a file in parts, from where an earlier attempt with the same file stopped. */
export async function sendInParts(upload: Upload, change: (fields: Partial<Upload>) => void): Promise<void> {
  const { project, name, file } = upload;
  const key = `ploidy-upload:${project}:${digestOf(name)}:${file.size}:${file.lastModified}`;
  const size = Math.max(partBytes, Math.ceil(file.size / partsMax));
  const count = Math.ceil(file.size / size);
  const begun = remembered(key, size) ?? { uploadId: await begin(upload), size, done: [] };
  for (let number = 1; number <= count; number++) {
    if (begun.done.includes(number)) continue;
    const bytes = file.slice((number - 1) * size, number * size);
    await withRetries(upload.stop.signal, change, async () => {
      const params = { path: { id: begun.uploadId, number } };
      const { uploadUrl } = await take(api.GET('/v1/uploads/{id}/parts/{number}', { params }));
      await put(uploadUrl, bytes, upload.stop.signal, (sent) => change({ sent: (number - 1) * size + sent }));
    });
    begun.done.push(number);
    localStorage.setItem(key, JSON.stringify(begun));
  }
  localStorage.removeItem(key);
  await take(api.DELETE('/v1/uploads/{id}', { params: { path: { id: begun.uploadId } } }));
}

/**
 * Returns the digest of a name: it may be that of a patient, and is not kept in the browser. FNV-1a distinguishes names and
 * hides nothing from a search.
 */
function digestOf(name: string): number {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) digest = Math.imul(digest ^ byte, 0x01000193);
  return digest >>> 0;
}

async function begin(upload: Upload): Promise<string> {
  return (await take(api.POST('/v1/uploads', { body: bodyOf(upload) }))).uploadId;
}

function remembered(key: string, size: number): Begun | undefined {
  const text = localStorage.getItem(key);
  const begun = text === null ? undefined : (JSON.parse(text) as Begun);
  return begun?.size === size ? begun : undefined;
}
