import { type Kysely, sql } from 'kysely';
import { statementsOf } from '../columns.ts';

/** Kinds of jobs by class, as they were before a job named its class. */
const classes = {
  query: ['lake.run', 'lake.statement'],
  ingestion: ['ingestions.run', 'htsget.index'],
  sync: ['ehrs.runSync'],
  background: ['lake.compact', 'lake.annotate'],
  removal: ['deletion.remove'],
  mail: ['invitation-mail', 'forgotten-password-mail'],
  'sign-in': ['sign-in-failure'],
};
/** Records that know whose work a waiting job is. */
const owners = ['queries', 'trino_statements', 'ingestions', 'ehr_syncs'];
const former = ['jobs_queued', 'jobs_running', 'jobs_running_share', 'jobs_turn'];

/** Class of each job, whose work it is, and the time that accounts, projects and users have used of late. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = async (text: string) => {
    for (const statement of statementsOf(db, text)) await sql.raw(statement).execute(db);
  };
  for (const index of [...former, 'jobs_turn_queue', 'jobs_turn_share']) await run(`drop index ${index}`);
  for (const column of ['class', 'account_id', 'project_id', 'user_id', 'exclusive_key'])
    await run(`alter table jobs add column ${column} text not null default ''`);
  for (const column of ['is_long', 'set_aside'])
    await run(`alter table jobs add column ${column} integer not null default 0`);
  await run('alter table jobs add column waiting_since bigint not null default 0');
  await run('alter table jobs add column claimed_at bigint');
  for (const [name, kinds] of Object.entries(classes))
    await run(`update jobs set class = '${name}' where kind in (${kinds.map((kind) => `'${kind}'`)})`);
  await run(`update jobs set waiting_since = created_at where state = 'queued'`);
  await run(
    `update jobs set exclusive_key = queue_key where queue_max = 1 and class in ('sync', 'background')`,
  );
  for (const table of owners) {
    const whose = `account_id = coalesce(owner.account_id, ''), project_id = coalesce(owner.project_id, ''), user_id = owner.user_id`;
    await run(
      `update jobs set ${whose} from ${table} as owner where owner.job_id = jobs.id and jobs.state in ('queued', 'running')`,
    );
  }
  for (const column of ['queue_key', 'queue_max', 'share_key', 'share_max', 'turn'])
    await run(`alter table jobs drop column ${column}`);
  const tuple = 'class, account_id, project_id, user_id, exclusive_key, is_long, seq';
  await run(`create index jobs_queued on jobs (${tuple}) where state = 'queued'`);
  await run(`create index jobs_running on jobs (class) where state = 'running'`);
  await run(
    `create table job_shares (class text not null, name text not null, used bigint not null, epoch bigint not null, primary key (class, name))`,
  );
  await run('create index job_shares_epoch on job_shares (epoch)');
}
