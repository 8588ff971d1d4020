import { createReadStream, statSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Service } from './service.ts';

/** Polling interval in milliseconds. */
const pollMs = 25;

interface State {
  state: string;
  error?: { message: string };
  rowCount?: number;
  /** Path of the ingestion or query. */
  ended?: string;
  endTime?: number;
  progress?: { rows: number };
  found?: { tables: Record<string, number> };
}

/** Uploads a local file into a project; answers its id. */
export async function upload(service: Service, project: string, name: string, path: string): Promise<string> {
  const body = { name, datasetId: project };
  const made = await service.call<{ id: string; uploadUrl: string }>('POST', '/v1/files', body);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = request(made.uploadUrl, {
    method: 'PUT',
    headers: { 'content-length': statSync(path).size },
  });
  outgoing.on('response', (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  outgoing.on('error', reject);
  await pipeline(createReadStream(path), outgoing);
  if ((await promise) !== 200) throw new Error(`the upload of ${name} failed`);
  return made.id;
}

/** Ingests a file; answers its rows and the milliseconds from POST to `succeeded`, by the time that the service recorded: looks for it come too seldom. */
export async function ingest(
  service: Service,
  project: string,
  fileId: string,
  options: object = {},
): Promise<{ rows: number; variants: number; ms: number }> {
  const from = Date.now();
  const body = { datasetId: project, fileId, ...options };
  const { id } = await service.call<{ id: string }>('POST', '/v1/ingestions', body);
  const end = await settled(service, `/v1/ingestions/${id}`, ['queued', 'running']);
  const variants = end.found?.tables['variant'] ?? 0;
  return { rows: end.progress?.rows ?? 0, variants, ms: Date.parse(end.ended ?? '') - from };
}

/**
 * Runs a query; answers its result's rows and the milliseconds from POST to `succeeded`, by the service's clock: polling often enough to measure it
 * takes a part of the cores that the query has.
 */
export async function query(
  service: Service,
  project: string,
  sql: string,
  everyMs = pollMs,
  format = 'csv',
): Promise<{ rows: number; ms: number; id: string }> {
  const from = Date.now();
  const body = { query: sql, datasetId: project, outputFileName: `bench.${format}`, format };
  const path = '/v1/analytics/data-lake/query';
  const { queryId } = await service.call<{ queryId: string }>('POST', path, body);
  const end = await settled(service, `${path}/${queryId}`, ['running'], everyMs);
  return { rows: end.rowCount ?? 0, ms: (end.endTime ?? Number.NaN) - from, id: queryId };
}

async function settled(service: Service, path: string, going: string[], everyMs = pollMs): Promise<State> {
  for (;;) {
    const state = await service.call<State>('GET', path);
    if (state.state === 'succeeded') return state;
    if (!going.includes(state.state))
      throw new Error(`${path}: ${state.state} ${state.error?.message ?? ''}`);
    await delay(everyMs);
  }
}

/** Middle value. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
