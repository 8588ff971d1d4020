export type { Job, JobCount, JobHandler, JobRun, JobStop, Jobs, NewJob } from './jobs.ts';
export { openJobs } from './open.ts';
export type { JobsSettings } from './runner.ts';
