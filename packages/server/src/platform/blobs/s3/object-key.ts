import { notFound } from '../../../problem.ts';
import { isKey } from '../keys.ts';

/** Where the blobs lie in the store. */
export const blobFolder = 'blobs/';
/** Where clients put bytes that are to become blobs. */
export const arrivalFolder = 'incoming/';

/** The object of a blob. Checks the key first: nothing else ever becomes one. */
export function objectOf(key: string): string {
  if (!isKey(key)) throw notFound();
  return blobFolder + key;
}

const placeShape = /^[a-zA-Z0-9-]{1,64}(\/[a-zA-Z0-9-]{1,64}){0,3}$/;

/** The object at a place that clients may put bytes to. */
export function arrivalOf(place: string): string {
  if (!placeShape.test(place)) throw notFound();
  return arrivalFolder + place;
}
