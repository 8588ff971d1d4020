import { type Api, bodyOf } from './connection.ts';
import type { components } from './generated/openapi.ts';
import { pages } from './pages.ts';
import { collected } from './rows.ts';

/** Patient of a sample, assigned after its ingestion; an absent one removes that of the file. */
export type LinkedSample = components['schemas']['LinkedSample'];

/** List of the samples of a project with the tag of its version. */
export interface LinkedSamples {
  samples: LinkedSample[];
  etag: string;
}

const pageSize = 1000;

/** Reads the whole list of a project. */
export async function linkedSamples(api: Api, id: string): Promise<LinkedSamples> {
  let etag = '';
  const items = pages(async (nextPageToken) => {
    const query = { pageSize, nextPageToken };
    const answer = await api.GET('/v1/projects/{id}/samples', { params: { path: { id }, query } });
    const tag = answer.response.headers.get('etag') ?? '';
    if (etag !== '' && tag !== etag) throw new Error('The list of samples changed while it was read.');
    etag = tag;
    return answer;
  });
  const samples = await collected(items);
  return { samples, etag };
}

/** Replaces the list, if it is still the one of `etag`; returns the number of its samples. */
export async function replaceLinkedSamples(
  api: Api,
  id: string,
  { samples, etag }: LinkedSamples,
): Promise<number> {
  const params = { path: { id } };
  const headers = { 'If-Match': etag };
  return bodyOf(await api.PUT('/v1/projects/{id}/samples', { params, headers, body: { samples } })).samples;
}

/** Puts the second list over the first: a sample of both is as in the second. */
export function mergedSamples(
  present: readonly LinkedSample[],
  given: readonly LinkedSample[],
): LinkedSample[] {
  return [...new Map([...present, ...given].map((one) => [one.sampleId, one])).values()];
}

const fields: ReadonlyMap<string, keyof LinkedSample> = new Map([
  ['sample', 'sampleId'],
  ['sampleid', 'sampleId'],
  ['patient', 'patientId'],
  ['patientid', 'patientId'],
  ['subject', 'patientId'],
  ['subjectid', 'patientId'],
  ['specimen', 'specimenId'],
  ['specimenid', 'specimenId'],
]);

/**
 * Reads a table with the columns `sample_id`, `patient_id` and, if wanted, `specimen_id`, separated by commas, semicolons or
 * tabs. Throws for other columns, and for a line without a sample.
 */
export function readLinkedSamples(text: string): LinkedSample[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const [heading = ''] = lines;
  const separator = ['\t', ';', ','].find((one) => heading.includes(one)) ?? ',';
  const names = cellsOf(heading, separator).map((name) =>
    fields.get(name.toLowerCase().replace(/[^a-z]/g, '')),
  );
  if (names.includes(undefined) || !names.includes('sampleId') || new Set(names).size < names.length)
    throw new Error(
      'The first line must name the columns: sample_id, patient_id and, if wanted, specimen_id.',
    );
  return lines.slice(1).flatMap((line, at) => {
    if (line.trim() === '') return [];
    const cells = cellsOf(line, separator);
    const entries = names.map((name, place) => [name, cells[place] ?? ''] as const);
    const sample = Object.fromEntries(entries.filter(([, value]) => value !== '')) as unknown as LinkedSample;
    if (sample.sampleId === undefined || cells.length > names.length)
      throw new Error(`Line ${at + 2} has no sample, or more columns than the first line.`);
    return [sample];
  });
}

/** Splits a line; a cell in double quotes may hold separators, and `""` is a quote. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [''];
  let isQuoted = false;
  for (const part of line.split(/(""|"|[,;\t])/)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (part === separator && !isQuoted) cells.push('');
    else cells[cells.length - 1] += part === '""' ? (isQuoted ? '"' : '') : part;
  }
  return cells.map((cell) => cell.trim());
}
