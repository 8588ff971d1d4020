/** Every kind of job, with the role of the processes that run it (PLOIDY_ROLES). */
export const jobKinds = {
  'lake.run': 'query',
  'lake.statement': 'query',
  'lake.copy': 'maintenance',
  'lake.compact': 'maintenance',
  'lake.annotate': 'maintenance',
  'lake.announce': 'maintenance',
  'lake.derive': 'maintenance',
  'ingestions.run': 'ingest',
  'ingestions.consequences': 'maintenance',
  'ehrs.runSync': 'ingest',
  'buckets.run': 'ingest',
  'htsget.index': 'ingest',
  'deletion.remove': 'maintenance',
  'invitation-mail': 'maintenance',
  'forgotten-password-mail': 'maintenance',
  'webhooks.deliver': 'maintenance',
  'sign-in-failure': 'maintenance',
} as const;

export type JobKind = keyof typeof jobKinds;
