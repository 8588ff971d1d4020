export { type AuthorizationRequest, NoDestination } from './authorization-request.ts';
export { redirectTo, type SignInContext, type SignInView } from './authorize-routes.ts';
export type { Authorizer } from './authorizer.ts';
export { Grants } from './grants.ts';
export { OAuth } from './oauth.ts';
export { OAuthError } from './oauth-error.ts';
export { endSignInsFor, oauthRemovers } from './removal.ts';
export { sealedTokenKeys } from './token-keys.ts';
export type { Tokens } from './tokens.ts';
