export { samlRemovers } from './removal.ts';
export { samlRoutes } from './routes.ts';
export { Saml, type SamlParts } from './saml.ts';
