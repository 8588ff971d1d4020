import type { UploadsTable } from '../../../platform/records/schema.ts';

/**
 * Returns the key under which clients store the bytes of an upload. Only the id: name and project may change
 * while signed addresses are in use.
 */
export function uploadKey({ id }: Pick<UploadsTable, 'id'>): string {
  return id;
}

/** Returns the key of a part. Each credential has its own, so that parts show whose address they were put to. */
export function partKey({ id }: Pick<UploadsTable, 'id'>, number: number, via: string): string {
  return `${id}/${number}/${via.replace(':', '/')}`;
}

/** Parses an object key into its upload and, for a part, its number and the credential that sent it. */
export function parseKey(key: string): { id: string; part: number | undefined; via: string | undefined } {
  const [id = '', part, kind, credential] = key.split('/');
  return {
    id,
    part: part === undefined ? undefined : Number(part),
    // Parts of an earlier version name none.
    via: kind === undefined ? undefined : `${kind}:${credential}`,
  };
}
