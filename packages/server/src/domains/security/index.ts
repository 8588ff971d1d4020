export { removeSecondFactor } from './lost-authenticator.ts';
export { signOut } from './sign-out.ts';

import type { Route } from '../../route.ts';
import { enrolmentRoutes, type PageParts } from './enrolment-routes.ts';
import { securityPages } from './page-routes.ts';
import { securityRoutes } from './routes.ts';
import { Security, type SecurityParts } from './security.ts';

/** Puts the domain together. */
export function openSecurity(parts: SecurityParts & Omit<PageParts, 'security'>): {
  security: Security;
  routes: Route[];
} {
  const security = new Security(parts);
  const pageParts = { ...parts, security };
  return {
    security,
    routes: [
      ...securityRoutes(security, parts.sessions),
      ...securityPages(pageParts),
      ...enrolmentRoutes(pageParts),
    ],
  };
}
