export { sealedSamlKeys } from './encryption/keys.ts';
export { samlRemovers } from './providers.ts';
export { sealedSamlAnswers } from './requests.ts';
export { samlRoutes } from './routes.ts';
export { Saml } from './saml.ts';
