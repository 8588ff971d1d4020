import type { Subject } from './backoff.ts';
import { networksOf } from './network.ts';

/** Returns what attempts of a browser count for besides their user: itself, and all browsers of its widest network. */
export function sourcesOf(browser: string | undefined, address: string): Subject[] {
  const network = networksOf(address).at(-1) ?? '';
  return [
    { kind: 'browser', name: browser ?? network },
    { kind: 'crowd', name: network },
  ];
}
