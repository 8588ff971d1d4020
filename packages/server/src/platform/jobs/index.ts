export type { Job, JobCount, JobHandler, JobRun, JobStop, Jobs, NewJob } from './jobs.ts';
export type { JobsSettings } from './open.ts';
export { openJobs } from './open.ts';
