/** Where the rows of a table hold a blob. */
export interface BlobColumn {
  key: number;
  /** Absent: the row does not say. */
  size: number | undefined;
  sha256: number | undefined;
}

/** Columns that name a blob which the row of a file holds. When the file has got other bytes meanwhile, it is gone. */
const borrowed = new Set(['readgroup_sets.bam_blob', 'uploads.made_blob', 'variant_indexes.source_blob']);

/**
 * Columns named `…blob_key` or `…_blob` hold blobs, with `…size` and `…sha256` beside them; blob-columns.test.ts holds the schema to
 * it.
 */
export function blobColumnsOf(table: { name: string; columns: readonly string[] }): BlobColumn[] {
  const at = (name: string): number | undefined => {
    const index = table.columns.indexOf(name);
    return index < 0 ? undefined : index;
  };
  return table.columns.flatMap((column, key) => {
    const [, prefix] = /^(|.*_)blob(?:_key)?$/.exec(column) ?? [];
    if (prefix === undefined || borrowed.has(`${table.name}.${column}`)) return [];
    return [{ key, size: at(`${prefix}size`), sha256: at(`${prefix}sha256`) }];
  });
}
