import { householdSettings } from '../isolation/world.ts';
/** A service that is asked as fast as it answers, and whose work stays small. */
export const fuzzSettings: Record<string, string> = {
  ...householdSettings,
  PLOIDY_REQUESTS_PER_MINUTE: '10000000',
  PLOIDY_INVITATIONS_PER_HOUR: '1000000',
  PLOIDY_QUERY_TIME: '5s',
};
