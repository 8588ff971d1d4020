import type { UploadsTable } from '../../platform/records/schema.ts';

/**
 * Where clients of the store put bytes. Only the upload's id is in it, since its name and project may change while its addresses
 * are out.
 */
export function placeOf({ id }: Pick<UploadsTable, 'id'>): string {
  return id;
}

export function placeOfPart({ id }: Pick<UploadsTable, 'id'>, number: number): string {
  return `${id}/${number}`;
}

/** The upload that a place is of, and the number when it is one of its parts. */
export function uploadAt(place: string): { id: string; part: number | undefined } {
  const [id = '', part] = place.split('/');
  return { id, part: part === undefined ? undefined : Number(part) };
}
