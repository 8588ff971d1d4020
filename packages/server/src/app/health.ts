import { Type } from 'typebox';
import { type Route, route } from '../api/route.ts';
import { countOf, textOf } from '../api/shapes.ts';
import { build } from '../base/version.ts';
import type { Config } from '../config/config.ts';
import type { Platform } from './open-platform.ts';

/** Share of the disk below which too little of it is free. */
const freeShareMin = 0.1;

/** Sources of the state. */
export interface HealthDeps extends Pick<Platform, 'records' | 'disk' | 'mail'> {
  config: Pick<Config, 'publicUrl' | 'backups'>;
}

const riskShape = Type.Object({
  what: textOf('The risk in one sentence'),
  remedy: textOf('Step that removes it'),
});

const healthShape = Type.Object(
  {
    version: textOf('Version that runs'),
    commit: Type.Optional(textOf('Hash of its commit; absent when it is unknown')),
    disk: Type.Optional(
      Type.Object(
        { freeBytes: countOf('Bytes that are free'), bytes: countOf('Bytes of the whole disk') },
        { description: 'Disk of the data folder; absent where the system does not report it' },
      ),
    ),
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
    risks: Type.Array(riskShape, { description: 'Settings and states that an operator should change' }),
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
    summary: 'State of the service for administrators',
    description: 'Version, disk and risky settings of the service, and the jobs of the account.',
    accountHeader: true,
    answers: { 200: { schema: healthShape, description: 'The state' } },
    locate: async (_input, account) => ({
      attributes: { account, type: 'account', id: account },
      record: account,
    }),
    handle: async ({ resource: account }) => {
      const [disk, jobs] = await Promise.all([deps.disk(), jobsOf(deps, account)]);
      const { version, commit } = build;
      return { version, ...(commit && { commit }), ...(disk && { disk }), jobs, risks: risksOf(deps, disk) };
    },
  });
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
function risksOf({ config, mail }: HealthDeps, disk: { freeBytes: number; bytes: number } | undefined) {
  const { publicUrl, backups } = config;
  const isLow = disk !== undefined && disk.freeBytes < disk.bytes * freeShareMin;
  const risks: [isRisk: boolean, what: string, remedy: string][] = [
    [
      isLow,
      'Less than a tenth of the disk is free.',
      'Free space, or enlarge the disk: a full one stops every upload.',
    ],
    [
      backups === undefined,
      'No place for backups is set.',
      'Set PLOIDY_BACKUPS, and run `ploidy admin backup` each day.',
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
      'Set PLOIDY_SMTP_URL: until then mails are files in the folder `outbox` of the data.',
    ],
  ];
  return risks.filter(([isRisk]) => isRisk).map(([, what, remedy]) => ({ what, remedy }));
}
