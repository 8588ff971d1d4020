import { account, api, take } from './client.ts';

/** A set of reads, or the variants of a file. */
export interface Source {
  id: string;
  name: string;
  kind: 'reads' | 'variants';
  /** Samples by their ids, as far as they are known. */
  samples: string[];
  /** Reason for which igv.js cannot draw it. */
  undrawn?: string;
}

/** Reads and variant files of a project. */
export async function sourcesOf(project: string): Promise<Source[]> {
  const reads = await take(
    api.POST('/{account}/v1/readgroupsets/search', {
      params: { path: { account: account() } },
      body: { datasetIds: [project] },
    }),
  );
  const ingestions = await take(
    api.GET('/v1/ingestions', { params: { query: { datasetId: project, pageSize: 500 } } }),
  );
  const variants = ingestions.items.filter(({ type, state }) => type === 'vcf' && state === 'succeeded');
  return [
    ...reads.readGroupSets
      .filter(({ status }) => status === 'ACTIVE')
      .map(({ id, name, format, samples }): Source => {
        const source = { id, name, kind: 'reads', samples } as const;
        return format === 'CRAM' ? { ...source, undrawn: 'CRAM: not drawn over htsget' } : source;
      }),
    ...variants.map(
      ({ fileId, fileName }): Source => ({ id: fileId, name: fileName, kind: 'variants', samples: [] }),
    ),
  ];
}
