import type { Config } from '../../config/config.ts';
import type { Role } from '../../config/roles.ts';
import { type JobKind, type Jobs, jobKinds } from '../../platform/jobs/index.ts';

const roleOfKind: Readonly<Record<JobKind, Role>> = jobKinds;

/** Leaves out the jobs of roles that this process has not. Adding and cancelling are open to all processes. */
export function jobsOfRoles(jobs: Jobs, { roles }: Pick<Config, 'roles'>): Jobs {
  const known = new Set<JobKind>();
  return {
    handle: (handler) => {
      known.add(handler.kind);
      if (roles.has(roleOfKind[handler.kind])) jobs.handle(handler);
      else jobs.leave(handler.kind);
    },
    onEnd: (listener) => jobs.onEnd(listener),
    leave: (kind) => jobs.leave(kind),
    add: (tx, job) => jobs.add(tx, job),
    cancel: (tx, id) => jobs.cancel(tx, id),
    start: async () => {
      const missing = Object.keys(jobKinds).filter((kind) => !known.has(kind as JobKind));
      if (missing.length > 0) throw new Error(`No handler was registered for jobs of ${missing.join(', ')}.`);
      await jobs.start();
    },
    waiting: (ids) => jobs.waiting(ids),
    stats: () => jobs.stats(),
    stop: () => jobs.stop(),
  };
}
