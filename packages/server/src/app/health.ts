import { Type } from 'typebox';
import { type Route, route } from '../api/route.ts';
import { countOf, textOf } from '../api/shapes.ts';
import { Problem } from '../base/problem.ts';
import { build } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import { isOnlyAccount } from '../domains/identity/accounts/index.ts';
import type { Platform } from './open-platform.ts';

/** Share of the disk below which too little of it is free. */
const freeShareMin = 0.1;

/** Age from which the last backup is a risk. */
const backupMaxMs = 2 * 86_400_000;

/** Sources of the state. */
export interface HealthDeps extends Pick<Platform, 'records' | 'disk' | 'mail' | 'lastBackup' | 'ready'> {
  config: Pick<Config, 'publicUrl'>;
}

const riskShape = Type.Object({
  what: textOf('The risk in one sentence'),
  remedy: textOf('Step that removes it'),
});

const serviceShape = Type.Object(
  {
    failure: Type.Optional(textOf('The part that does not answer; absent when all do')),
    disk: Type.Optional(
      Type.Object(
        { freeBytes: countOf('Bytes that are free'), bytes: countOf('Bytes of the whole disk') },
        { description: 'Disk of the data folder; absent where the system does not report it' },
      ),
    ),
    lastBackup: Type.Optional(
      Type.Integer({ description: 'Time of the last complete backup, epoch milliseconds' }),
    ),
    risks: Type.Array(riskShape, { description: 'Settings and states that an operator should change' }),
  },
  {
    description:
      'State of the service; absent where it has other accounts, whose administrators share no operator',
  },
);

const healthShape = Type.Object(
  {
    version: textOf('Version that runs'),
    commit: Type.Optional(textOf('Hash of its commit; absent when it is unknown')),
    service: Type.Optional(serviceShape),
    jobs: Type.Array(
      Type.Object({
        kind: textOf('Kind of the jobs'),
        state: Type.String({
          enum: ['queued', 'running', 'failed'],
          description: 'State; `failed` of the last day',
        }),
        count: countOf('Number of jobs'),
        since: Type.Integer({ description: 'Creation of the oldest, epoch milliseconds' }),
      }),
      { description: 'Jobs of the account' },
    ),
  },
  { title: 'Health' },
);

/** GET /v1/health: version, disk, risky settings of the service, and the jobs of an account. */
export function healthRoute(deps: HealthDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/health',
    operation: 'accounts.health',
    tag: 'Service',
    summary: 'Get the state of the service for administrators',
    description:
      'Version, the jobs of the account and, where it is the only one, parts, disk, last backup and risky settings of the service.',
    accountHeader: true,
    answers: { 200: { schema: healthShape, description: 'The state' } },
    locate: async (_input, account) => ({
      attributes: { account, type: 'account', id: account },
      record: account,
    }),
    handle: async ({ resource: account }) => {
      const [service, jobs] = await Promise.all([serviceOf(deps, account), jobsOf(deps, account)]);
      const { version, commit } = build;
      return { version, ...(commit && { commit }), ...(service && { service }), jobs };
    },
  });
}

/** Returns the state of the service for the administrators of its only account. */
async function serviceOf(deps: HealthDeps, account: string) {
  if (!(await isOnlyAccount(deps.records.read, account))) return undefined;
  const [disk, lastBackup, failure] = await Promise.all([
    deps.disk(),
    deps.lastBackup(),
    deps.ready().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof Problem) return error.message;
        throw error;
      },
    ),
  ]);
  const risks = risksOf(deps, disk, lastBackup);
  return {
    ...(failure !== undefined && { failure }),
    ...(disk && { disk }),
    ...(lastBackup !== undefined && { lastBackup }),
    risks,
  };
}

const dayMs = 86_400_000;

async function jobsOf({ records }: HealthDeps, account: string) {
  const rows = await records.read
    .selectFrom('jobs')
    .select(({ fn }) => [
      'kind',
      'state',
      fn.countAll<number>().as('count'),
      fn.min<number>('created_at').as('since'),
    ])
    .where('account_id', '=', account)
    .where((where) =>
      where.or([
        where('state', 'in', ['queued', 'running']),
        where.and([where('state', '=', 'failed'), where('ended_at', '>', Date.now() - dayMs)]),
      ]),
    )
    .groupBy(['kind', 'state'])
    .orderBy('kind')
    .orderBy('state')
    .execute();
  return rows.map(({ kind, state, count, since }) => ({
    kind,
    state,
    count: Number(count),
    since: Number(since),
  }));
}

/** Lists what an operator should change, each with its remedy. */
function risksOf(
  { config: { publicUrl }, mail }: HealthDeps,
  disk: { freeBytes: number; bytes: number } | undefined,
  lastBackup: number | undefined,
) {
  const isLow = disk !== undefined && disk.freeBytes < disk.bytes * freeShareMin;
  const risks: [isRisk: boolean, what: string, remedy: string][] = [
    [
      isLow,
      'Less than a tenth of the disk is free.',
      'Free space, or enlarge the disk: a full one stops every upload.',
    ],
    [
      lastBackup === undefined || Date.now() - lastBackup > backupMaxMs,
      lastBackup === undefined ? 'There is no backup.' : 'The last backup is older than two days.',
      'Run ploidy admin backup each day, or look at its timer.',
    ],
    [
      publicUrl === '',
      'The public address is not set.',
      'Set PLOIDY_PUBLIC_URL: links in mails and downloads name the address that is listened at.',
    ],
    [
      publicUrl.startsWith('http:'),
      'The public address is without encryption.',
      'Put a proxy with a certificate before the service, and set PLOIDY_PUBLIC_URL to its https address.',
    ],
    [
      mail.place === 'outbox',
      'No mail server is set.',
      'Set PLOIDY_SMTP_URL: until then mails are files in the folder outbox of the data.',
    ],
  ];
  return risks.filter(([isRisk]) => isRisk).map(([, what, remedy]) => ({ what, remedy }));
}
