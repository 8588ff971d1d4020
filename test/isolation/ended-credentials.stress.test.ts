/** `ended-credentials.test.ts` for every way in which a credential ends, on both stores. */
import { describeApp } from '../support/app.ts';
import { endedCredentialTests, refusedAtOnce } from './ended-credentials.ts';
import { householdSettings } from './world.ts';

describeApp(
  'credentials that have ended in any way',
  (app) => endedCredentialTests(app, refusedAtOnce),
  householdSettings,
);
