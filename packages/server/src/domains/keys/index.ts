export { type ApiKey, Keys, type NewApiKey, revokeKeysOf, type VerifiedKey } from './keys.ts';
export { keyRemovers } from './removal.ts';
export { keyRoutes } from './routes.ts';
export { sealedSigningKeys } from './signing-key.ts';
