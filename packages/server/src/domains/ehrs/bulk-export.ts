import { isObject, type JsonValue } from '@ploidy/formats/fhir';
import type { OutboundAnswer } from '../../platform/outbound/outbound.ts';
import type { SearchedType } from './capabilities.ts';
import { EhrError } from './ehr-error.ts';
import { nameOfList } from './export-list.ts';
import type { FhirServer } from './fhir-server.ts';
import { readJson } from './read-json.ts';
import { retryAfterMs } from './retry-after.ts';

/** Bulk Data Access (https://hl7.org/fhir/uv/bulkdata): the system writes files of its resources, which are then fetched. */
export interface ExportPosition {
  kind: 'export';
  /** Where the system tells how far it is, and where the export is deleted. It wants the credentials with which the export began. */
  statusUrl: string;
  /**
   * Of which list how many files were fetched; null: the system is not done. The list may have megabytes, and this is kept with each
   * file: another run asks for it again.
   */
  taken: { list: string; files: number } | null;
}

export interface ExportFile {
  type: string;
  url: string;
  /** The system says that it wants credentials for its files, wherever on its host they lie. */
  withCredentials?: true;
  /** How many resources it holds, where the system says so. */
  count?: number;
}

/** What the system says when the files are there. */
interface Manifest {
  files: ExportFile[];
  /** A name for these files in this order. */
  list: string;
  /** The moment that they show the data of, epoch milliseconds. */
  at: number | undefined;
  /** Files about what could not be exported. */
  errors: number;
}

const answerBytesMax = 1024 * 1024;
const timeoutMs = 120_000;
/** How often the system is asked when it does not say. */
const pollMs = 5000;
const pollMinMs = 1000;
const pollMaxMs = 60_000;
const cleanUpMs = 10_000;

/** Begins an export. Throws `EhrError`, with the status when the system refuses it. */
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
  if (since !== null) query.set('_since', new Date(since).toISOString());
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

/** Waits until the files are there. */
export async function awaitExport(
  server: FhirServer,
  { statusUrl }: ExportPosition,
  wait: (ms: number) => Promise<void>,
): Promise<Manifest> {
  const request = {
    url: statusUrl,
    withCredentials: true as const,
    headers: { accept: 'application/json' },
    bytesMax: Number.POSITIVE_INFINITY,
    timeoutMs,
  };
  for (;;) {
    const told = await server.ask(request, [200, 202], (answer) => readStatus(server, answer));
    if (typeof told === 'object') return told;
    await wait(Math.min(Math.max(told, pollMinMs), pollMaxMs));
  }
}

/** The manifest, or how long to wait for it. */
async function readStatus(server: FhirServer, answer: OutboundAnswer): Promise<Manifest | number> {
  if (answer.status === 202) return retryAfterMs(answer.headers['retry-after']) ?? pollMs;
  const manifest = await readJson(answer.body, (max) =>
    unusable(`its list of files is larger than ${max} MiB`),
  );
  // What has no list is no export without data: an OperationOutcome, or what a gateway says.
  if (!isObject(manifest) || !Array.isArray(manifest['output']))
    throw unusable('its list of files is not readable');
  const { output, deleted, error, requiresAccessToken } = manifest;
  const files = [...filesOf(server, output), ...filesOf(server, deleted)];
  const at = Date.parse(String(manifest['transactionTime'] ?? ''));
  return {
    list: nameOfList(files),
    files: files.map((file) => (requiresAccessToken === true ? { ...file, withCredentials: true } : file)),
    at: Number.isNaN(at) ? undefined : at,
    // Nothing is fetched of these: where they lie does not matter.
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

/** Lets the system forget the export; it may have done so already. */
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

/** What ends an export, so that resources are searched for instead. */
export function unusable(why: string): EhrError {
  return new EhrError('EXPORT_UNUSABLE', `The EHR system offers a bulk export, but ${why}.`);
}
