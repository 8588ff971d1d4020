export { isRegistered, metadataFault, redirectFault } from './addresses.ts';
export {
  type Client,
  type CustomIdentityProvider,
  commandLine,
  isBuiltIn,
  offeredProvider,
  type Scope,
  scopes,
} from './client.ts';
export { Clients, setFirstParty } from './clients.ts';
export type { Registrations } from './registrations.ts';
export { clientRoutes } from './routes.ts';
export { mappedField, mappedGroup } from './validate.ts';
