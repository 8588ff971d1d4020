export { sealedSamlKeys } from './keys.ts';
export { samlRemovers } from './removal.ts';
export { sealedSamlAnswers } from './requests.ts';
export { samlRoutes } from './routes.ts';
export { Saml, type SamlParts } from './saml.ts';
