import { networksOf } from '../../../../base/network.ts';
import type { Subject } from './backoff.ts';

/** Browser by the name that this service gave it. */
export interface Browser {
  name: string;
  ageMs: number;
}

/** Returns what attempts of a browser count for besides their user: itself, and all browsers of its widest network. */
export function sourcesOf(browser: Browser | undefined, address: string): Subject[] {
  const network = networksOf(address).at(-1) ?? '';
  return [
    { kind: 'browser', name: network, ...browser },
    { kind: 'crowd', name: network },
  ];
}
