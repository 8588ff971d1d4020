import type { Route } from '../../../api/route.ts';
import type { Jobs } from '../../../platform/jobs/index.ts';
import type { Mail } from '../../../platform/mail/mail.ts';
import type { PlatformLog } from '../../../platform/records/log.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import type { Audit } from '../../audit/index.ts';
import type { Clients } from '../clients/index.ts';
import type { AuthorizationRequest, OAuth, SignInContext, SignInView } from '../oauth/index.ts';
import { Delays } from './attempts/backoff.ts';
import { recordFailures } from './attempts/failures.ts';
import { Consent, consentRoutes } from './consent.ts';
import { DeviceConsent, deviceConsentRoutes } from './device-consent.ts';
import { Devices } from './devices.ts';
import { Forms } from './forms.ts';
import { Logout } from './logout.ts';
import { logoutRoutes } from './logout-routes.ts';
import { openingRoutes } from './opening.ts';
import { PasswordCheck } from './password-check.ts';
import { PasswordResets } from './password-reset/password-reset.ts';
import { passwordResetRoutes } from './password-reset/password-reset-routes.ts';
import { PatientChoice, patientChoiceRoutes } from './patient-choice.ts';
import { SecondFactors } from './second-factor/index.ts';
import { SecondStep } from './second-step.ts';
import type { BrowserSessions, Sessions } from './sessions/index.ts';
import { SignIn } from './sign-in.ts';
import { SignInForms } from './sign-in-forms.ts';
import { signInRoutes } from './sign-in-routes.ts';

interface SignInDomainDeps {
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
  /** Address after a sign-in without an application. */
  home: string;
  /** Returns the public address of the service. */
  publicUrl: () => string;
}

/** Interface of the domain for others. */
interface SignInDomain {
  /** Every other sign-in method ends with its `complete`. */
  signIn: SignIn;
  devices: Devices;
  /** View for /oauth/authorize. */
  view: SignInView;
  forms: Forms;
  passwords: PasswordCheck;
  secondFactors: SecondFactors;
  routes: Route[];
  sweep: () => Promise<void>;
}

/** Opens the domain. */
export function openSignIn(deps: SignInDomainDeps): SignInDomain {
  const { records, secrets, audit, jobs, log, clients, oauth, browsers, home, publicUrl } = deps;
  const { authorizer, grants, tokens } = oauth;
  const devices = new Devices(secrets.derive('sign-in-devices'), publicUrl);
  const signIn = new SignIn({ ...deps, devices, authorizer, grants });
  const forms = new Forms(secrets.derive('sign-in-forms'), publicUrl, log);
  const delays = new Delays(records, secrets.derive('sign-in-delays'));
  const passwords = new PasswordCheck(records, jobs, delays, { devices, forms });
  const secondFactors = new SecondFactors(records, secrets);
  const secondStep = new SecondStep(records, secrets);
  const shown = { signIn, authorizer, forms, passwords, secondFactors, secondStep, delays, home };
  const signInForms = new SignInForms(shown);
  const asking = {
    ...{ signIn, authorizer, forms },
    signInAgain: (request: AuthorizationRequest, context: SignInContext) =>
      signInForms.show(request, context),
  };
  const consent = new Consent(asking);
  const choice = new PatientChoice(asking);
  const deviceConsent = new DeviceConsent({ records, signIn, forms, delays, devices: oauth.devices, grants });
  const resets = new PasswordResets(deps);
  jobs.handle(resets.job);
  jobs.handle(recordFailures(records, audit));
  return {
    signIn,
    devices,
    view: {
      current: (context) => signIn.current(context),
      show: async (request, context) => signInForms.show(request, context),
      ask: (request, session, context) => consent.ask(request, session, context),
      choose: (chosen, context) => choice.ask(chosen, context),
      fault: (message) => signIn.fault(message),
    },
    forms,
    passwords,
    secondFactors,
    routes: [
      ...signInRoutes(signInForms),
      ...openingRoutes({ records, signIn, forms, home }),
      ...consentRoutes(consent),
      ...patientChoiceRoutes(choice),
      ...deviceConsentRoutes(deviceConsent),
      ...passwordResetRoutes({ forms, delays, resets }),
      ...logoutRoutes(new Logout({ signIn, clients, tokens, forms, browsers })),
    ],
    sweep: () => delays.sweep(),
  };
}
