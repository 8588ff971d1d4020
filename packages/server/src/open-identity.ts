import type { Core } from './core.ts';
import { Clients, clientRoutes } from './domains/clients/index.ts';
import { OAuth } from './domains/oauth/index.ts';
import { Saml, samlRoutes } from './domains/saml/index.ts';
import { openSecurity } from './domains/security/index.ts';
import { BrowserSessions, Sessions } from './domains/sessions/index.ts';
import { Passwords, setUpRoutes } from './domains/setup/index.ts';
import { openSignIn } from './domains/sign-in/index.ts';
import type { Credentials } from './http/authentication.ts';
import type { Jobs } from './platform/jobs/index.ts';
import type { Mail } from './platform/mail/index.ts';
import type { Outbound } from './platform/outbound/index.ts';
import type { PlatformLog } from './platform/records/log.ts';
import type { Route } from './route.ts';

export interface IdentityParts extends Core {
  jobs: Jobs;
  mail: Mail;
  outbound: Outbound;
  log: PlatformLog;
  /** The address under which people reach the service. */
  publicUrl: () => string;
}

export interface IdentitySettings {
  sessionLifeMs: number;
  sessionIdleMs: number;
  grantLifeMs: number;
}

/** Puts together how people and applications prove who they are: clients, OAuth, sessions, signing in, passwords. */
export function openIdentity(
  parts: IdentityParts,
  settings: IdentitySettings,
): { routes: Route[]; sweeps: (() => Promise<void>)[]; credentials: Credentials } {
  const { records, secrets, audit, keys, publicUrl } = parts;
  const clients = new Clients(parts);
  const issuer = () => `${publicUrl()}/v1`;
  const oauth = new OAuth(
    { records, secrets, audit, clients },
    { issuer, grantLifeMs: settings.grantLifeMs, sessionLifeMs: settings.sessionLifeMs },
  );
  clients.deleted.push(oauth.clientDeleted);
  const sessions = new Sessions(records, { lifeMs: settings.sessionLifeMs, idleMs: settings.sessionIdleMs });
  const browsers = new BrowserSessions(sessions, publicUrl);
  const shared = { ...parts, clients, oauth, sessions, browsers };
  const signIn = openSignIn(shared);
  const { security, routes } = openSecurity({ ...shared, ...signIn, grants: oauth.grants });
  const passwords = new Passwords(records, audit);
  passwords.changed.push((tx, userId) => security.endEverything(tx, userId));
  const { authorizer, grants } = oauth;
  const saml = new Saml({
    ...shared,
    authorizer,
    grants,
    signIn: signIn.signIn,
    forms: signIn.forms,
  });
  clients.deleted.push(saml.clientDeleted);
  clients.providerLost.push(saml.providerLost);
  return {
    routes: [
      ...clientRoutes(clients),
      ...oauth.routes(signIn.view),
      ...signIn.routes,
      ...samlRoutes(saml, publicUrl),
      ...routes,
      ...setUpRoutes(passwords, (userId) => signIn.devices.cookieFor(userId)),
    ],
    sweeps: [() => sessions.sweep(), signIn.sweep, ...oauth.sweeps, ...saml.sweeps],
    credentials: { verifiers: [keys, oauth.accessTokens], cookies: browsers },
  };
}
