export { isRegistered, metadataFault } from './addresses.ts';
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
export { clientRoutes } from './routes.ts';
export { mappedField, mappedGroup } from './validate.ts';
