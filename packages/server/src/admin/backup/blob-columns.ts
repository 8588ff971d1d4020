/** Positions of a blob's columns in a table. */
export interface BlobColumn {
  key: number;
  /** Absent if the table has no such column. */
  size: number | undefined;
  sha256: number | undefined;
}

/** Columns of blobs that belong to a file. If the file has been overwritten, the blob is gone. */
const borrowed = new Set(['readgroup_sets.reads_blob', 'uploads.made_blob', 'variant_indexes.source_blob']);

/**
 * Finds blob columns by name: `…blob_key` or `…_blob`, with `…size` and `…sha256`. A test holds the schema to
 * these names.
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
