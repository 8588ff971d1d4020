import { createHash } from 'node:crypto';
import { isObject, type JsonValue } from '@ploidy/formats/fhir';
import { timestamp } from '../../../base/ids.ts';
import type { OutboundAnswer } from '../../../platform/outbound/outbound.ts';
import type { SearchedType } from './capabilities.ts';
import { EhrError } from './ehr-error.ts';
import type { FhirServer } from './fhir-server.ts';
import { readJson } from './read-json.ts';
import { retryAfterMs } from './retry-after.ts';

/**
 * Position within a bulk export (https://hl7.org/fhir/uv/bulkdata): the system writes files of its resources,
 * which are then fetched.
 */
export interface ExportPosition {
  kind: 'export';
  /** Address of the export's status and deletion. Needs the credentials that started the export. */
  statusUrl: string;
  /**
   * Number of fetched files and the digest of their list; null while the system is working. The list may have
   * megabytes and this is stored per file, so a later run requests it again.
   */
  taken: { list: string; files: number } | null;
}

export interface ExportFile {
  type: string;
  url: string;
  /** True if the system requires credentials for its files, anywhere on its host. */
  withCredentials?: true;
  /** Number of resources, if stated. */
  count?: number;
}

/** Result of a finished export. */
interface Manifest {
  files: ExportFile[];
  /** Digest of these files in this order. */
  list: string;
  /** Time of the exported data, epoch milliseconds. */
  at: number | undefined;
  /** Number of files that report errors. */
  errors: number;
}

/** Part of a manifest, whose `link` names the following one (Bulk Data 3). */
type ManifestPage = Omit<Manifest, 'list'> & { next?: string };

/** Pages of a manifest at most: a circle has no end. */
const pagesMax = 1000;
const answerBytesMax = 1024 * 1024;
const timeoutMs = 120_000;
/** Default interval between status requests. */
const pollMs = 5000;
const pollMinMs = 1000;
const pollMaxMs = 60_000;
const cleanUpMs = 10_000;

/** Starts an export. Throws `EhrError`, with the status if the system refuses it. */
export async function beginExport(
  server: FhirServer,
  path: string,
  types: readonly SearchedType[],
  since: number | null,
): Promise<ExportPosition> {
  const query = new URLSearchParams({
    _type: types.map(({ name }) => name).join(','),
    _outputFormat: 'application/fhir+ndjson',
  });
  if (since !== null) query.set('_since', timestamp(since));
  const request = {
    url: `${path}?${query}`,
    headers: { prefer: 'respond-async' },
    bytesMax: answerBytesMax,
    timeoutMs,
  };
  return server.ask(request, [202], async ({ headers }) => {
    const place = headers['content-location'];
    if (place === undefined) throw unusable('it does not say where the export is');
    return { kind: 'export', statusUrl: server.locate(place), taken: null };
  });
}

/** Waits until the files are ready. */
export async function awaitExport(
  server: FhirServer,
  { statusUrl }: ExportPosition,
  wait: (ms: number) => Promise<void>,
): Promise<Manifest> {
  const request = {
    withCredentials: true as const,
    headers: { accept: 'application/json' },
    bytesMax: Number.POSITIVE_INFINITY,
    timeoutMs,
  };
  const pages: ManifestPage[] = [];
  for (let url: string | undefined = statusUrl; url !== undefined; ) {
    const status: ManifestPage | number = await server.ask({ ...request, url }, [200, 202], (answer) =>
      readStatus(server, answer),
    );
    if (typeof status === 'number') await wait(Math.min(Math.max(status, pollMinMs), pollMaxMs));
    else {
      pages.push(status);
      if (pages.length > pagesMax) throw unusable(`its list of files has more than ${pagesMax} pages`);
      url = status.next;
    }
  }
  const files = pages.flatMap((page) => page.files);
  const errors = pages.reduce((sum, page) => sum + page.errors, 0);
  return { files, list: nameOfList(files), at: pages[0]?.at, errors };
}

/** Returns a page of the manifest, or the time to wait for it. */
async function readStatus(server: FhirServer, answer: OutboundAnswer): Promise<ManifestPage | number> {
  if (answer.status === 202) return retryAfterMs(answer.headers['retry-after']) ?? pollMs;
  const manifest = await readJson(answer.body, (max) =>
    unusable(`its list of files is larger than ${max} MiB`),
  );
  // A response without a list is not an empty export, but an OperationOutcome or a gateway's page.
  if (!isObject(manifest) || !Array.isArray(manifest['output']))
    throw unusable('its list of files is not readable');
  const { output, deleted, error, requiresAccessToken, link } = manifest;
  const next = (Array.isArray(link) ? link : []).filter(isObject).find(({ relation }) => relation === 'next');
  if (next && typeof next['url'] !== 'string') throw unusable('its list of files is not readable');
  const files = [...filesOf(server, output), ...filesOf(server, deleted)];
  const stated = String(manifest['transactionTime'] ?? '');
  // Without an offset it would be of the time zone of this process.
  const at = /(?:Z|[-+]\d{2}:?\d{2})$/i.test(stated) ? Date.parse(stated) : Number.NaN;
  return {
    ...(next && { next: server.locate(String(next['url'])) }),
    files: files.map((file) => (requiresAccessToken === true ? { ...file, withCredentials: true } : file)),
    at: Number.isNaN(at) ? undefined : at,
    // Error files are counted, not fetched: their addresses do not matter.
    errors: Array.isArray(error) ? error.length : 0,
  };
}

function filesOf(server: FhirServer, listed: JsonValue | undefined): ExportFile[] {
  if (listed === undefined || listed === null) return [];
  if (!Array.isArray(listed)) throw unusable('its list of files is not readable');
  return listed.map((one) => {
    const { type, url, count } = isObject(one) ? one : {};
    if (typeof type !== 'string' || typeof url !== 'string' || !/^[A-Z][A-Za-z]{1,63}$/.test(type))
      throw unusable('its list of files is not readable');
    const file = { type, url: server.locate(url) };
    return typeof count === 'number' ? { ...file, count } : file;
  });
}

/** Deletes the export on the system, which may have done so already. */
export async function endExport(server: FhirServer, { statusUrl }: ExportPosition): Promise<void> {
  const request = {
    method: 'DELETE' as const,
    url: statusUrl,
    withCredentials: true as const,
    bytesMax: answerBytesMax,
    timeoutMs: cleanUpMs,
  };
  await server.ask(request, [200, 202, 204, 404, 410], async () => undefined);
}

/** Error that ends an export, so that resources are searched for instead. */
export function unusable(why: string): EhrError {
  return new EhrError('EXPORT_UNUSABLE', `The EHR system offers a bulk export, but ${why}.`);
}

/**
 * Returns a digest of these files in order, by which a later run recognises the list. Excludes the query
 * strings of the addresses, which may be signed anew each time, unless only they differ.
 */
export function nameOfList(files: readonly { type: string; url: string }[]): string {
  const bare = files.map(({ url }) => String(url.split('?', 1)));
  const isBareEnough = new Set(bare).size === files.length;
  const hash = createHash('sha256');
  for (const [index, { type, url }] of files.entries())
    hash.update(`${type} ${isBareEnough ? bare[index] : url}\n`);
  return hash.digest('base64url');
}
