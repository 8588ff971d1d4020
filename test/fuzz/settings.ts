/** A service that is asked as fast as it answers, and whose work stays small. */
export const fuzzSettings: Record<string, string> = {
  PLOIDY_REQUESTS_PER_MINUTE: '10000000',
  PLOIDY_INVITATIONS_PER_HOUR: '1000000',
  PLOIDY_QUERY_TIME: '5s',
  PLOIDY_EHR_ATTEMPTS: '1',
  PLOIDY_IDLE_WORKERS: '2',
};
