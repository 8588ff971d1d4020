import type { PageDeps } from './page-routes.ts';

export { removeSecondFactor } from './security.ts';
export { signOut } from './sign-out.ts';

import type { Route } from '../../../api/route.ts';
import { enrolmentRoutes } from './enrolment-routes.ts';
import { securityPages } from './page-routes.ts';
import { securityRoutes } from './routes.ts';
import { Security, type SecurityDeps } from './security.ts';

/** Opens the domain. */
export function openSecurity(deps: SecurityDeps & Omit<PageDeps, 'security'>): {
  security: Security;
  routes: Route[];
} {
  const security = new Security(deps);
  const pageDeps = { ...deps, security };
  return {
    security,
    routes: [
      ...securityRoutes(security, deps.sessions),
      ...securityPages(pageDeps),
      ...enrolmentRoutes(pageDeps),
    ],
  };
}
