export { type ApiKey, Keys, keyRemovers, type NewApiKey, revokeKeysOf } from './keys.ts';
export { keyRoutes } from './routes.ts';
export { sealedSigningKeys } from './signing-key.ts';
