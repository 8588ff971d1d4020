import { notFound } from '../../../base/problem.ts';
import { isKey } from '../keys.ts';

/** Prefix of the blobs in the store. */
const blobFolder = 'blobs/';
/** Prefix of the bytes that clients put, which are to become blobs. */
export const arrivalFolder = 'incoming/';

/** Prefix of what other systems read for a day. */
export const sharedFolder = 'shared/';

/** Builds the object key of a blob. Checks the key first: nothing else ever becomes one. */
export function objectOf(key: string): string {
  if (!isKey(key)) throw notFound();
  return blobFolder + key;
}

const placeShape = /^[a-zA-Z0-9-]{1,64}(\/[a-zA-Z0-9-]{1,64}){0,3}$/;

/** Builds the object key of a place that clients may put bytes to. */
export function arrivalOf(place: string): string {
  if (!placeShape.test(place)) throw notFound();
  return arrivalFolder + place;
}
