import { geneModel } from '@ploidy/formats/tables';
import type { Transaction } from '../../../platform/records/records.ts';
import type { NewSegment } from '../catalogue/catalogue.ts';
import { annotationTables, type ServiceAnnotations } from './service-annotations.ts';

/** Warns about a file whose genome build differs from that of present rows or annotations. */
export async function buildRemarks(
  tx: Transaction,
  made: { project: string; fileId: string; segments: readonly NewSegment[]; build: string | null },
  service: ServiceAnnotations,
): Promise<string[]> {
  const { build } = made;
  if (build === null) return [];
  const present = [...(await presentBuilds(tx, made)), ...(await service.builds(tx))];
  const others = (isAnnotation: boolean): string => {
    const found = present.filter((one) => one.isAnnotation === isAnnotation && one.build !== build);
    return [...new Set(found.map((one) => one.build))].sort().join(', ');
  };
  const [rows, annotations] = [others(false), others(true)];
  const gives = (name: string): boolean => made.segments.some(({ table }) => table === name);
  if (gives(geneModel.name)) return [];
  if (annotationTables.some(gives))
    return rows === ''
      ? []
      : [`The annotation is on ${build}: it does not annotate the variants of the project on ${rows}.`];
  return [
    ...(rows === ''
      ? []
      : [
          `The positions of this file are on ${build}, others of the project on ${rows}: do not compare their rows by position. Lift one over, or keep them in separate projects.`,
        ]),
    ...(annotations === '' || !gives('variant')
      ? []
      : [`Annotations on ${annotations} do not annotate the variants of this file, which are on ${build}.`]),
  ];
}

/** Lists the known builds of the project's other files. */
async function presentBuilds(
  tx: Transaction,
  { project, fileId }: { project: string; fileId: string },
): Promise<{ isAnnotation: boolean; build: string }[]> {
  const rows = await tx
    .selectFrom('segments')
    .select(['table_name', 'genome_build'])
    .distinct()
    .where('project_id', '=', project)
    .where('source_file_id', '!=', fileId)
    .where('removed_version', 'is', null)
    .where('row_count', '>', 0)
    .where('table_name', '!=', geneModel.name)
    .where('genome_build', 'is not', null)
    .execute();
  return rows.map((row) => ({
    isAnnotation: annotationTables.includes(row.table_name),
    build: row.genome_build ?? '',
  }));
}
