import type { UploadsTable } from '../../../platform/records/schema.ts';

/**
 * Returns the key under which clients store the bytes of an upload. Only the id: name and project may change
 * while signed addresses are in use.
 */
export function uploadKey({ id }: Pick<UploadsTable, 'id'>): string {
  return id;
}

export function partKey({ id }: Pick<UploadsTable, 'id'>, number: number): string {
  return `${id}/${number}`;
}

/** Parses an object key into its upload and, for a part, the part number. */
export function parseKey(key: string): { id: string; part: number | undefined } {
  const [id = '', part] = key.split('/');
  return { id, part: part === undefined ? undefined : Number(part) };
}
