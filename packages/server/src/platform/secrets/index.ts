export type { SecretsSettings } from './master-key.ts';
export { openSecrets } from './master-key.ts';
export type { Secrets } from './secrets.ts';
export { secretsFrom } from './secrets.ts';
