import type { Config } from '../../config/config.ts';
import type { Role } from '../../config/roles.ts';
import type { Jobs } from '../../platform/jobs/index.ts';

/** Kinds of jobs by the role that runs them; all others are maintenance. */
const roleOfKind: ReadonlyMap<string, Role> = new Map([
  ['lake.run', 'query'],
  ['lake.statement', 'query'],
  ['ingestions.run', 'ingest'],
  ['ehrs.runSync', 'ingest'],
  ['htsget.index', 'ingest'],
]);

/** Leaves out the jobs of roles that this process has not. Adding and cancelling are open to all processes. */
export function jobsOfRoles(jobs: Jobs, { roles }: Pick<Config, 'roles'>): Jobs {
  return {
    handle: (handler) => {
      if (roles.has(roleOfKind.get(handler.kind) ?? 'maintenance')) jobs.handle(handler);
      else jobs.leave(handler.kind);
    },
    leave: (kind) => jobs.leave(kind),
    add: (tx, job) => jobs.add(tx, job),
    cancel: (tx, id) => jobs.cancel(tx, id),
    start: () => jobs.start(),
    waiting: (ids) => jobs.waiting(ids),
    stats: () => jobs.stats(),
    stop: () => jobs.stop(),
  };
}
