export { type ApiKey, Keys, keyRemovers, revokeKeysOf } from './keys.ts';
export { keyRoutes } from './routes.ts';
export { sealedSigningKeys } from './signing-key.ts';
