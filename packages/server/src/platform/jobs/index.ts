export type { JobClass, PlaceLimits, Whose } from './admission.ts';
export { jobClasses, nobody } from './admission.ts';
export type { Job, JobCount, JobEnd, JobHandler, JobRun, JobStop, Jobs, NewJob, Waiting } from './jobs.ts';
export { type JobKind, jobKinds } from './kinds.ts';
export { openJobs } from './open.ts';
export { Places } from './places.ts';
export type { JobsSettings } from './runner.ts';
