import type { Route } from '../api/route.ts';
import { openSecurity } from '../domains/authentication/account-security/index.ts';
import { Clients, clientRoutes } from '../domains/authentication/clients/index.ts';
import { CredentialHolders } from '../domains/authentication/credentials/index.ts';
import { type LaunchPatients, OAuth } from '../domains/authentication/oauth/index.ts';
import { Saml, samlRoutes } from '../domains/authentication/saml/index.ts';
import { Passwords, setUpRoutes } from '../domains/authentication/setup/index.ts';
import { openSignIn, ownPath } from '../domains/authentication/sign-in/index.ts';
import { BrowserSessions, Sessions } from '../domains/authentication/sign-in/sessions/index.ts';
import type { Holders } from '../domains/identity/addresses/index.ts';
import { CallerCache, type Callers } from '../domains/identity/callers/index.ts';
import { Views, viewRoutes } from '../domains/identity/views/index.ts';
import type { Credentials } from '../http/access/authentication.ts';
import type { Jobs } from '../platform/jobs/index.ts';
import type { Mail } from '../platform/mail/index.ts';
import type { Outbound } from '../platform/outbound/index.ts';
import type { PlatformLog } from '../platform/records/log.ts';
import type { Core } from './core.ts';

interface IdentityDeps extends Core {
  jobs: Jobs;
  mail: Mail;
  outbound: Outbound;
  callers: Callers;
  log: PlatformLog;
  patients: LaunchPatients;
  /** Public address of the service. */
  publicUrl: () => string;
}

interface IdentitySettings {
  sessionLifeMs: number;
  sessionIdleMs: number;
  grantLifeMs: number;
  assistants: boolean;
  console: boolean;
}

/** Composes authentication: clients, OAuth, sessions, sign-in, passwords. */
export function openIdentity(
  deps: IdentityDeps,
  settings: IdentitySettings,
): {
  routes: Route[];
  sweeps: (() => Promise<void>)[];
  credentials: Credentials;
  holders: Holders;
  endWaits: () => void;
} {
  const { records, secrets, audit, keys, callers, publicUrl } = deps;
  const clients = new Clients(deps);
  const issuer = () => `${publicUrl()}/v1`;
  const oauth = new OAuth(
    { records, secrets, audit, clients, outbound: deps.outbound, patients: deps.patients },
    {
      ...{ issuer, grantLifeMs: settings.grantLifeMs, sessionLifeMs: settings.sessionLifeMs },
      registers: settings.assistants,
    },
  );
  clients.deleted.push(oauth.clientDeleted);
  const sessions = new Sessions(records, { lifeMs: settings.sessionLifeMs, idleMs: settings.sessionIdleMs });
  const browsers = new BrowserSessions(sessions, publicUrl);
  const home = settings.console ? '/' : ownPath;
  const shared = { ...deps, home, clients, oauth, sessions, browsers };
  const signIn = openSignIn(shared);
  const { security, routes } = openSecurity({ ...shared, ...signIn, grants: oauth.grants });
  const passwords = new Passwords(records, audit);
  passwords.changed.push((tx, userId) => security.endEverything(tx, userId));
  const { authorizer, grants, accessTokens } = oauth;
  const cache = new CallerCache(records, callers);
  const views = new Views({ records, audit, secrets, cache });
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
      ...viewRoutes(views),
      ...oauth.routes(signIn.view),
      ...signIn.routes,
      ...samlRoutes(saml, publicUrl),
      ...routes,
      ...setUpRoutes(passwords, (userId) => signIn.devices.cookieFor(userId)),
    ],
    endWaits: () => oauth.devices.endWaits(),
    sweeps: [() => sessions.sweep(), signIn.sweep, ...oauth.sweeps, ...saml.sweeps],
    credentials: {
      verifiers: [keys, accessTokens],
      cookies: browsers,
      browserIn: (headers) => signIn.forms.bindingOf({ headers }),
      cache,
      callerInView: (token, viewer) => views.callerIn(token, viewer),
    },
    holders: new CredentialHolders(cache, { apiKey: keys, grant: accessTokens, session: sessions }),
  };
}
