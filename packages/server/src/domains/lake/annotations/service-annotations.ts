import { createHash } from 'node:crypto';
import { annotation } from '@ploidy/formats/tables';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type LakeFile, presentFiles } from '../catalogue/lake-files.ts';

/** Returns a digest of an ordered list of annotations. */
export function signatureOf(annotations: readonly LakeFile[]): string {
  return createHash('sha256')
    .update(annotations.map(({ blob }) => blob.key).join('\n'))
    .digest('hex');
}

/**
 * Annotations of the whole service, from the project that the operator names (`PLOIDY_ANNOTATION_PROJECT`).
 * They fill variants of every project, after its own annotations; nothing else of that project is shared.
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

  /** Puts the service's annotations before a project's files: later ones win. */
  async before(read: Reader | Transaction, project: string, own: LakeFile[]): Promise<LakeFile[]> {
    if (this.#source === '' || this.areOf(project)) return own;
    return [...(await this.#files(read)), ...own];
  }

  /** Digest of the service's annotations; empty if there are none. */
  async signature(read: Reader | Transaction): Promise<string> {
    const files = this.#source === '' ? [] : await this.#files(read);
    return files.length === 0 ? '' : signatureOf(files);
  }

  /** Lists the known genome builds of the service's annotations. */
  async builds(tx: Transaction): Promise<{ isAnnotation: true; build: string }[]> {
    const files = this.#source === '' ? [] : await this.#files(tx);
    return files.flatMap(({ genomeBuild: build }) => (build === null ? [] : [{ isAnnotation: true, build }]));
  }

  /** Present annotations, whatever version of a lake is read; none if the project is gone. */
  async #files(read: Reader | Transaction): Promise<LakeFile[]> {
    const there = await read
      .selectFrom('projects')
      .select('id')
      .where('id', '=', this.#source)
      .executeTakeFirst();
    const files = there ? await presentFiles(read, this.#source, annotation.name) : [];
    return files.filter(({ rowCount }) => rowCount > 0);
  }
}
