/** `ended-credentials.test.ts` for every way in which a credential ends, on both stores. */
import { describeOnPostgres } from '../support/app.ts';
import { endedCredentialTests, refusedAtOnce } from './ended-credentials.ts';
import { householdSettings } from './world.ts';

describeOnPostgres(
  'credentials that have ended in any way',
  (app) => endedCredentialTests(app, refusedAtOnce),
  householdSettings,
);
