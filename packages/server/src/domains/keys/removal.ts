import { type Remover, rowsOf } from '../deletion/index.ts';

/** What of an account's removal is the keys' part. They are void from its beginning (keys.ts). */
export const keyRemovers: readonly Remover[] = [rowsOf('account', 'api_keys')];
