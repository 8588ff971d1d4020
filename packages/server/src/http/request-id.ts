import { newId } from '../ids.ts';

/** The id of a request: what its sender calls it, if that is sound, else a new one. */
export function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{8,64}$/.test(given) ? given : newId();
}
