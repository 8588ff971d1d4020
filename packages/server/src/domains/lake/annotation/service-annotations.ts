import { annotation } from '@ploidy/formats/tables';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import { type Segment, segmentOf } from '../catalogue.ts';
import { signatureOf } from './annotated-segments.ts';

/**
 * Annotations of the whole service: those of the one project that its host names (`PLOIDY_ANNOTATION_PROJECT`). They fill the
 * variants of every project after its own; nothing else of that project is ever read for another.
 */
export class ServiceAnnotations {
  /** Empty: there are none. */
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Whether they come from this project: there they are its own. */
  areOf(project: string): boolean {
    return project === this.#source;
  }

  /** The segments of a project with these before them: what comes later wins. */
  async before(read: Reader | Transaction, project: string, own: Segment[]): Promise<Segment[]> {
    if (this.#source === '' || this.areOf(project)) return own;
    return [...(await this.#segments(read)), ...own];
  }

  /** The same as long as they are the same; empty when there are none. */
  async signature(read: Reader | Transaction): Promise<string> {
    const segments = this.#source === '' ? [] : await this.#segments(read);
    return segments.length === 0 ? '' : signatureOf(segments);
  }

  /** The builds of the genome that they are on, where that is known. */
  async builds(tx: Transaction): Promise<{ isAnnotation: true; build: string }[]> {
    const segments = this.#source === '' ? [] : await this.#segments(tx);
    return segments.flatMap(({ genomeBuild: build }) =>
      build === null ? [] : [{ isAnnotation: true, build }],
    );
  }

  /** As they are now, whatever version of a lake is asked for. None of a project that is gone. */
  async #segments(read: Reader | Transaction): Promise<Segment[]> {
    const rows = await read
      .selectFrom('segments as s')
      .innerJoin('projects as p', 'p.id', 's.project_id')
      .selectAll('s')
      .where('s.project_id', '=', this.#source)
      .where('s.table_name', '=', annotation.name)
      .where('s.removed_version', 'is', null)
      .where('s.row_count', '>', 0)
      .orderBy('s.ordinal')
      .orderBy('s.id')
      .execute();
    return rows.map(segmentOf);
  }
}
