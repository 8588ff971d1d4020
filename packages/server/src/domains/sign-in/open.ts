import type { Jobs } from '../../platform/jobs/index.ts';
import type { Mail } from '../../platform/mail/mail.ts';
import type { PlatformLog } from '../../platform/records/log.ts';
import type { Records } from '../../platform/records/records.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Route } from '../../route.ts';
import type { Audit } from '../audit/index.ts';
import type { Clients } from '../clients/index.ts';
import type { OAuth, SignInView } from '../oauth/index.ts';
import { SecondFactors } from '../second-factor/index.ts';
import type { BrowserSessions, Sessions } from '../sessions/index.ts';
import { Delays } from './delays.ts';
import { Devices } from './devices.ts';
import { tellFailures } from './failures.ts';
import { ForgottenPasswords } from './forgotten.ts';
import { forgottenRoutes } from './forgotten-routes.ts';
import { Forms } from './forms.ts';
import { LettingIn, lettingInRoutes } from './letting-in.ts';
import { Logout } from './logout.ts';
import { logoutRoutes } from './logout-routes.ts';
import { PasswordCheck } from './password-check.ts';
import { SecondStep } from './second-step.ts';
import { SignIn } from './sign-in.ts';
import { SignInForms } from './sign-in-forms.ts';
import { signInRoutes } from './sign-in-routes.ts';

export interface SignInDomainParts {
  records: Records;
  audit: Audit;
  secrets: Secrets;
  jobs: Jobs;
  mail: Mail;
  log: PlatformLog;
  clients: Clients;
  oauth: OAuth;
  sessions: Sessions;
  browsers: BrowserSessions;
  /** The address under which people reach the service. */
  publicUrl: () => string;
}

/** What other domains need of signing in. */
export interface SignInDomain {
  /** Every other way of signing in ends with its `complete`. */
  signIn: SignIn;
  devices: Devices;
  /** What /oauth/authorize shows. */
  view: SignInView;
  forms: Forms;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
  routes: Route[];
  sweep: () => Promise<void>;
}

/** Puts the domain together. */
export function openSignIn(parts: SignInDomainParts): SignInDomain {
  const { records, secrets, audit, jobs, log, clients, oauth, browsers, publicUrl } = parts;
  const { authorizer, grants, tokens } = oauth;
  const devices = new Devices(secrets.derive('sign-in-devices'), publicUrl);
  const signIn = new SignIn({ ...parts, devices, authorizer, grants });
  const forms = new Forms(secrets.derive('sign-in-forms'), publicUrl, log);
  const delays = new Delays(records, secrets.derive('sign-in-delays'));
  const passwords = new PasswordCheck(records, jobs, delays, devices);
  const secondFactors = new SecondFactors(records, secrets);
  const secondStep = new SecondStep(records, secrets);
  const shown = { signIn, authorizer, forms, passwords, secondFactors, secondStep, delays };
  const signInForms = new SignInForms(shown);
  const lettingIn = new LettingIn({
    signIn,
    authorizer,
    forms,
    signInAgain: (request, context) => signInForms.show(request, context),
  });
  const forgotten = new ForgottenPasswords(parts);
  jobs.handle(forgotten.job);
  jobs.handle(tellFailures(records, audit));
  return {
    signIn,
    devices,
    view: {
      current: (context) => signIn.current(context),
      show: async (request, context) => signInForms.show(request, context),
      ask: (request, session, context) => lettingIn.ask(request, session, context),
      mistake: (message) => signIn.mistake(message),
    },
    forms,
    passwords,
    secondFactors,
    routes: [
      ...signInRoutes(signInForms),
      ...lettingInRoutes(lettingIn),
      ...forgottenRoutes({ forms, delays, forgotten }),
      ...logoutRoutes(new Logout({ signIn, clients, tokens, forms, browsers })),
    ],
    sweep: () => delays.sweep(),
  };
}
