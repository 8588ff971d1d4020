import { ClientError } from '@ploidy/client';
import { account, api, take } from '../../api/client.ts';
import { downloadAddress } from '../../api/files.ts';
import { serviceAddress } from '../../api/place.ts';
import type { Source } from '../../api/sources.ts';
import { viewHeaders } from '../../api/view.ts';
import { type Chromosome, chromosomesOf, grch38Chromosomes } from './chromosomes.ts';

/** Sequences that tracks are drawn along. */
export interface Reference {
  name: string;
  chromosomes: Chromosome[];
}

const path = () => ({ account: account() });

/** Reports whether a source is of a sample, by what it holds or by its name. */
export function isOf({ name, samples }: Source, sample: string): boolean {
  return samples.includes(sample) || name.includes(sample);
}

/** Sequences of the first reference of a project; without one, those of GRCh38 without bases. */
export async function referenceOf(project: string): Promise<Reference> {
  const { referenceSets } = await take(
    api.POST('/{account}/v1/referencesets/search', { params: { path: path() }, body: {} }),
  );
  const set = referenceSets.find(({ datasetId }) => datasetId === project);
  if (!set) return { name: 'GRCh38', chromosomes: grch38Chromosomes() };
  const body = { referenceSetId: set.id, pageSize: 1000 };
  const { references } = await take(
    api.POST('/{account}/v1/references/search', { params: { path: path() }, body }),
  );
  const hasBases = await hasBasesOf(references[0]?.id);
  const sequences = references.map(({ id, name, length }) => ({ id, name, length: Number(length) }));
  const chromosomes = chromosomesOf(sequences, set.assemblyId);
  return {
    name: set.name,
    chromosomes: hasBases ? chromosomes : chromosomes.map((one) => ({ ...one, parts: [] })),
  };
}

/** Reports whether a reference has bases: one that only the header of a BAM names has none. */
async function hasBasesOf(referenceId: string | undefined): Promise<boolean> {
  if (referenceId === undefined) return false;
  try {
    await basesOf(referenceId, 0, 1);
    return true;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'NO_BASES') return false;
    throw error;
  }
}

/** Bases of a part of a reference, counted from 0. */
export async function basesOf(referenceId: string, start: number, end: number): Promise<string> {
  const params = { path: { ...path(), referenceId } };
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const query = { start, end, ...(pageToken !== undefined && { pageToken }) };
    const page = await take(
      api.GET('/{account}/v1/references/{referenceId}/bases', {
        params: { ...params, query: query as never },
      }),
    );
    found.push(page.sequence);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found.join('');
}

/** Returns where igv.js reads a source: by htsget, or a whole file that htsget cannot cut into regions. */
export async function addressOf({ kind, id }: Source): Promise<object> {
  const ticket = `${serviceAddress}/${encodeURIComponent(account())}/v1/htsget/${kind}/${encodeURIComponent(id)}`;
  const answer = await fetch(`${ticket}?class=header`, { headers: viewHeaders() });
  // Read in any case: an unread body keeps its connection.
  const { error, message } = (await answer.json()).htsget ?? {};
  if (answer.ok) return { sourceType: 'htsget', url: ticket, headers: viewHeaders() };
  if (kind === 'variants' && error === 'UnsupportedFormat')
    return { url: await downloadAddress(id), indexed: false };
  throw new Error(message ?? `the service answered with status ${answer.status}.`);
}
