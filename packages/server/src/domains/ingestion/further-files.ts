import type { SourceType } from '@ploidy/converters';
import type { TaskGenome } from '@ploidy/engine';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import type { ServiceAnnotations } from '../lake/index.ts';
import { blobsOfGenomes, genomesOf, taskGenomes } from './genomes.ts';

/** Local files that a conversion reads besides its source. */
export interface LocatedFiles {
  /** Index of a BAM. */
  indexPath: string | undefined;
  /** Genomes for the consequences of a VCF. */
  genomes: readonly TaskGenome[];
}

interface FurtherFiles {
  blobs: readonly BlobInfo[];
  /** Names the local files. `paths`: those of `blobs`. */
  located(paths: readonly string[]): LocatedFiles;
}

interface FurtherDeps {
  records: Records;
  blobs: Blobs;
  serviceAnnotations: ServiceAnnotations;
}

/** Finds the files besides the source. They are named before the format is known: they are fetched together. */
export async function furtherFiles(
  deps: FurtherDeps,
  ingestion: IngestionsTable,
  file: FilesTable,
): Promise<FurtherFiles> {
  const indexes = await indexBeside(deps.records, file);
  const genomes = await genomesFor(deps, ingestion, file);
  const blobs = [...indexes, ...blobsOfGenomes(genomes)];
  return {
    blobs,
    located: (paths) => {
      const pathOf = (key: string): string => paths[blobs.findIndex((one) => one.key === key)] ?? '';
      return {
        indexPath: indexes.length > 0 ? paths[0] : undefined,
        genomes: taskGenomes(genomes, pathOf),
      };
    },
  };
}

/** Finds the genomes for the alleles and consequences of a VCF, or of known alleles; none for other files. */
async function genomesFor(
  { records, blobs, serviceAnnotations }: FurtherDeps,
  { type, project_id }: IngestionsTable,
  file: FilesTable,
): ReturnType<typeof genomesOf> {
  if (type !== null && type !== 'vcf' && type !== 'annotation') return [];
  const found = await genomesOf(records.read, project_id, serviceAnnotations);
  if (found.length === 0 || type !== null) return found;
  const source = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const known = await blobs.withLocal([source], ([path = '']) => recognised(path, file));
  return known === 'vcf' ? found : [];
}

/** Imports the code of all formats on first use, which keeps it out of the service's start. */
export async function recognised(path: string, { name }: FilesTable): Promise<SourceType> {
  const { recognise } = await import('@ploidy/converters/recognise');
  return recognise(path, name);
}

/** Finds the index of a BAM in the same folder under a usual name: `x.bam.bai`, `x.bai`. */
async function indexBeside(records: Records, { project_id, name }: FilesTable): Promise<BlobInfo[]> {
  const names = [`${name}.bai`, name.replace(/(?:\.bam)?$/i, '.bai')];
  const found = await records.read
    .selectFrom('files')
    .select(['blob_key as key', 'size', 'sha256'])
    .where('project_id', '=', project_id)
    .where('name', 'in', names)
    .orderBy('name')
    .limit(1)
    .execute();
  return found.filter(({ size }) => size > 0);
}
