import { createHash } from 'node:crypto';
import { annotation, annotationChange, annotationSource, annotationValue } from '@ploidy/formats/tables';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type LakeFile, presentFiles } from '../catalogue/lake-files.ts';

/** Tables of annotation sources. Those of the service are read in every project. */
export const annotationTables: readonly string[] = [
  ...[annotation, annotationValue, annotationSource, annotationChange].map(({ name }) => name),
];

/** Returns a digest of an ordered list of annotations. */
export function signatureOf(annotations: readonly LakeFile[]): string {
  return createHash('sha256')
    .update(annotations.map(({ blob }) => blob.key).join('\n'))
    .digest('hex');
}

/**
 * Annotations of the whole service, from the project that the operator names (`PLOIDY_ANNOTATION_PROJECT`).
 * The annotations fill variants of every project, after its own, and their tables are read there. Nothing else of the named
 * project is shared.
 */
export class ServiceAnnotations {
  /** Empty if the service has no annotations. */
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reports whether the project is their source, where they are its own. */
  areOf(project: string): boolean {
    return project === this.#source;
  }

  /** Lists the projects whose references serve a project: itself, then the source of the service. */
  sourcesOf(project: string): string[] {
    return this.#source === '' || this.areOf(project) ? [project] : [project, this.#source];
  }

  /** Reports whether files of the service are read in a project beside its own of a table. */
  areBeside(project: string, table: string): boolean {
    return this.#source !== '' && !this.areOf(project) && annotationTables.includes(table);
  }

  /** Puts the service's annotations before a project's files of some tables: later ones win. */
  async before(
    read: Reader | Transaction,
    project: string,
    own: LakeFile[],
    tables: readonly string[] = [annotation.name],
  ): Promise<LakeFile[]> {
    const shared = tables.filter((table) => this.areBeside(project, table));
    return shared.length === 0 ? own : [...(await this.#files(read, shared)), ...own];
  }

  /** Adds the rows of the service to those of a project's tables. */
  async addRows(read: Reader, project: string, rowCounts: Map<string, number>): Promise<void> {
    for (const { table, rowCount } of await this.before(read, project, [], annotationTables))
      rowCounts.set(table, (rowCounts.get(table) ?? 0) + rowCount);
  }

  /** Digest of the service's annotations; empty if there are none. */
  async signature(read: Reader | Transaction): Promise<string> {
    const files = this.#source === '' ? [] : await this.#files(read, annotationTables);
    return files.length === 0 ? '' : signatureOf(files);
  }

  /** Lists the known genome builds of the service's annotations. */
  async builds(tx: Transaction): Promise<{ isAnnotation: true; build: string }[]> {
    const files = this.#source === '' ? [] : await this.#files(tx, [annotation.name]);
    return files.flatMap(({ genomeBuild: build }) => (build === null ? [] : [{ isAnnotation: true, build }]));
  }

  /** Present annotations, whatever version of a lake is read; none if the project is gone. */
  async #files(read: Reader | Transaction, tables: readonly string[]): Promise<LakeFile[]> {
    const there = await read
      .selectFrom('projects')
      .select('id')
      .where('id', '=', this.#source)
      .executeTakeFirst();
    const files: LakeFile[] = [];
    for (const table of there ? tables : []) files.push(...(await presentFiles(read, this.#source, table)));
    return files.filter(({ rowCount }) => rowCount > 0);
  }
}
