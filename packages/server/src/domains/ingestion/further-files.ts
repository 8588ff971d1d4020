import type { SourceType } from '@ploidy/converters';
import type { ConversionOptions, ConversionTask, TaskGenome } from '@ploidy/engine';
import { newestReleases, readRelease } from '@ploidy/formats/annotation-release';
import { annotation, annotationValue } from '@ploidy/formats/tables';
import type { BlobInfo, Blobs } from '../../platform/blobs/blobs.ts';
import type { Records } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { type LakeFile, presentFiles, type ServiceAnnotations } from '../lake/index.ts';
import { blobsOfGenomes, genomesOf, taskGenomes } from './genomes.ts';

/** Local files that a conversion reads besides its source. */
export interface LocatedFiles {
  /** Index of a BAM. */
  indexPath: string | undefined;
  /** Genomes for the consequences of a VCF. */
  genomes: readonly TaskGenome[];
  /** Files of the release of an annotation source that an annotation may replace. */
  earlier: NonNullable<ConversionTask['earlier']>;
}

interface FurtherFiles {
  blobs: readonly BlobInfo[];
  /** Names of the gene models that fit a genome build, or one that is not known. */
  modelsOf(build: string | null): string[];
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
  const earlier = ingestion.type === 'annotation' ? await earlierOf(deps, ingestion, file) : [];
  const blobs = [...indexes, ...blobsOfGenomes(genomes), ...earlier.map(({ blob }) => blob)];
  return {
    blobs,
    modelsOf: (build) =>
      genomes
        .filter(({ genomeBuild }) => build === null || genomeBuild === undefined || genomeBuild === build)
        .map(({ name }) => name),
    located: (paths) => {
      const pathOf = (key: string): string => paths[blobs.findIndex((one) => one.key === key)] ?? '';
      return {
        indexPath: indexes.length > 0 ? paths[0] : undefined,
        genomes: taskGenomes(genomes, pathOf),
        earlier: earlier.map(({ table, source, blob }) => ({ table, source, path: pathOf(blob.key) })),
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

/**
 * Finds the files of the newest release so far of an annotation's source, of the project or of the service. What the file itself
 * gave before counts too: its bytes may be those of the next release.
 */
async function earlierOf(
  { records, blobs, serviceAnnotations }: FurtherDeps,
  { project_id: project, options }: IngestionsTable,
  file: FilesTable,
): Promise<LakeFile[]> {
  const tables = [annotation.name, annotationValue.name];
  const own: LakeFile[] = [];
  for (const table of tables) own.push(...(await presentFiles(records.read, project, table)));
  const present = await serviceAnnotations.before(records.read, project, own, tables);
  const known = present.filter(({ source }) => readRelease(source) !== undefined);
  if (known.length === 0) return [];
  const source = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const { annotation: requested } = JSON.parse(options) as ConversionOptions;
  const { releaseOfFile } = await import('@ploidy/converters/annotation-release');
  const release = await blobs.withLocal([source], ([path = '']) => releaseOfFile(path, file.name, requested));
  if (!release) return [];
  const before = known.filter((one) => {
    const found = readRelease(one.source);
    return found?.kind === release.kind && found.source === release.source;
  });
  return tables.flatMap((table) => newestReleases(before.filter((one) => one.table === table)));
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
