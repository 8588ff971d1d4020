export { beginKeyChange, forgetOlderKeys, isUnfinished } from './change-key.ts';
export type { SecretsSettings } from './master-key.ts';
export { openSecrets, secretsOfKey } from './master-key.ts';
export { placeKeyFile } from './place-key-file.ts';
export { type SealedColumn, sealedColumn } from './sealed-column.ts';
export type { Secrets } from './secrets.ts';
export { secretsFrom } from './secrets.ts';
