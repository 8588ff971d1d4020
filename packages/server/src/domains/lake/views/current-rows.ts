import { type LocatedFile, rowsWithOrdinal } from '../catalogue/segment-rows.ts';

/** Tables from which the current versions of resources are chosen. */
export const versionTables = ['_revision', '_newer', '_resource'];

/**
 * Choice of the current version of each resource: the newest `meta.lastUpdated`, then the latest ingestion. A
 * deletion without a date deletes everything ingested before it. Only resources with several versions are
 * looked at: publications note these (`catalogue/revisions.ts`).
 */
export class CurrentRows {
  readonly #revisions: LocatedFile[];
  readonly #newer: LocatedFile[];
  readonly #resources: LocatedFile[];

  constructor(files: LocatedFile[]) {
    const of = (name: string) => files.filter(({ table }) => table === name);
    this.#revisions = of('_revision');
    this.#newer = of('_newer');
    this.#resources = of('_resource');
  }

  /** Files that the choice opens; none if no resource has several versions. */
  get files(): LocatedFile[] {
    if (this.#revisions.length === 0) return [];
    return [...this.#revisions, ...this.#newer, ...(this.#newer.length > 0 ? this.#resources : [])];
  }

  /** Selects the rows of current versions. `resource`: columns of `rows` with type and id of the resource. */
  of(rows: string, resource: { type: string; id: string }): string {
    if (this.#revisions.length === 0) return `SELECT * FROM ${rows}`;
    return `SELECT r.* FROM ${rows} AS r LEFT JOIN ${this.#winners()} AS w ON r.${resource.type} = w.resource_type
      AND r.${resource.id} = w.resource_id WHERE w.winner IS NULL OR (r._ordinal = w.winner AND NOT w.deleted)`;
  }

  #winners(): string {
    const rows = this.#versions();
    const order = "{'at': coalesce(last_updated, TIMESTAMP '1900-01-01'), 'ordinal': _ordinal}";
    const removals = `(SELECT resource_type, resource_id, max(_ordinal) AS removal FROM ${rows}
      WHERE deleted AND last_updated IS NULL GROUP BY resource_type, resource_id)`;
    return `(SELECT resource_type, resource_id, arg_max(_ordinal, ${order}) AS winner, arg_max(deleted, ${order}) AS deleted
      FROM ${rows} LEFT JOIN ${removals} USING (resource_type, resource_id) WHERE removal IS NULL OR _ordinal >= removal
      GROUP BY resource_type, resource_id)`;
  }

  /** Versions of resources that have several. A newer version counts while its own ingestion is visible. */
  #versions(): string {
    const columns = 'resource_type, resource_id, deleted, last_updated';
    const own = rowsWithOrdinal(this.#revisions, columns);
    if (this.#newer.length === 0) return own;
    const ordinals = `(SELECT DISTINCT _ordinal AS visible FROM ${rowsWithOrdinal(this.#resources, 'resource_id')})`;
    return `(SELECT ${columns}, _ordinal FROM ${own} UNION ALL SELECT ${columns}, version AS _ordinal
      FROM ${rowsWithOrdinal(this.#newer, `${columns}, version`)} JOIN ${ordinals} ON visible = version)`;
  }
}
