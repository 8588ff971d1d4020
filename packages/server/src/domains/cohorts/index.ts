export { attributesOfCohort } from './cohort.ts';
export { Cohorts } from './cohorts.ts';
export { freshenCohort, freshenDay, freshenProject } from './freshen.ts';
export { cohortRemovers } from './removal.ts';
export { cohortRoutes } from './routes.ts';
