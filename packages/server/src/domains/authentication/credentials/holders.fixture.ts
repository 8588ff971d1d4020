import type { Records } from '../../../platform/records/records.ts';
import { CallerCache, Callers } from '../../identity/callers/index.ts';
import type { Keys } from '../keys/index.ts';
import { CredentialHolders } from './index.ts';

/** Returns the API keys of a service as holders of addresses, with a cache of their own. */
export function keyHolders({ records, keys }: { records: Records; keys: Keys }): CredentialHolders {
  return new CredentialHolders(new CallerCache(records, new Callers(records)), { apiKey: keys });
}
