import type { TaskGenome } from '@ploidy/engine';
import { type GenomeBuild, genomeBuilds } from '@ploidy/formats/genome-build';
import { genomeBuildOfHeader } from '@ploidy/formats/genome-build-name';
import { geneModel } from '@ploidy/formats/tables';
import type { BlobInfo } from '../../platform/blobs/blobs.ts';
import type { Reader } from '../../platform/records/records.ts';
import { type StoredReference, storedReferences } from '../genomics/datasets/index.ts';
import { type LakeFile, presentFiles, type ServiceAnnotations } from '../lake/index.ts';

/** Gene models with the references of their build. Blobs are read as local files. */
interface FoundGenome {
  name: string;
  genomeBuild: GenomeBuild | undefined;
  models: BlobInfo;
  references: readonly StoredReference[];
}

/**
 * Finds the gene models for the variants of a project, the newest first: its own, then those of the service. A genome without
 * bases is left out.
 */
export async function genomesOf(
  read: Reader,
  project: string,
  service: ServiceAnnotations,
): Promise<FoundGenome[]> {
  const projects = service.sourcesOf(project);
  const models: { file: LakeFile; name: string }[] = [];
  const references: StoredReference[] = [];
  for (const one of projects) {
    const files = (await presentFiles(read, one, geneModel.name)).filter(({ rowCount }) => rowCount > 0);
    for (const file of files.toReversed()) models.push({ file, name: await nameOf(read, file) });
  }
  if (models.length === 0) return [];
  for (const one of projects) references.push(...(await storedReferences(read, one)));
  return models.flatMap(({ file, name }) => {
    const genomeBuild = genomeBuilds.find((build) => build === file.genomeBuild);
    const fitting = references.filter((one) => areOne(genomeBuild, buildOf(one)));
    return fitting.length === 0 ? [] : [{ name, genomeBuild, models: file.blob, references: fitting }];
  });
}

/** Lists the blobs of genomes, each once. */
export function blobsOfGenomes(genomes: readonly FoundGenome[]): BlobInfo[] {
  const all = genomes.flatMap(({ models, references }) => [models, ...references.map(({ bases }) => bases)]);
  return [...new Map(all.map((blob) => [blob.key, blob])).values()];
}

/** Describes genomes to the engine. `pathOf`: local file of a blob by its key. */
export function taskGenomes(genomes: readonly FoundGenome[], pathOf: (key: string) => string): TaskGenome[] {
  return genomes.map(({ name, genomeBuild, models, references }) => ({
    name,
    ...(genomeBuild !== undefined && { genomeBuild }),
    modelsPath: pathOf(models.key),
    references: references.map(({ bases, sequences }) => ({ basesPath: pathOf(bases.key), sequences })),
  }));
}

/** Returns the name of the file that an ingestion read. */
async function nameOf(read: Reader, { ingestionId }: LakeFile): Promise<string> {
  const row = await read
    .selectFrom('ingestions')
    .select('file_name')
    .where('id', '=', ingestionId)
    .executeTakeFirst();
  return row?.file_name ?? 'gene models';
}

/** Returns the build of a reference by its assembly or the lengths of its sequences. */
function buildOf({ assemblyId, sequences }: StoredReference): GenomeBuild | undefined {
  const lengths = sequences.map(({ name, length }) => `##contig=<ID=${name},length=${length}>`);
  return genomeBuildOfHeader([`##reference=${assemblyId ?? ''}`, ...lengths]);
}

/** Reports whether two builds can be the same; an unknown one can be any. */
const areOne = (one: GenomeBuild | undefined, other: GenomeBuild | undefined): boolean =>
  one === undefined || other === undefined || one === other;
