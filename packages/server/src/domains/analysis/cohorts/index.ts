export { attributesOfCohort, groupOf } from './cohort.ts';
export { Cohorts } from './cohorts.ts';
export { recountCohort, recountDay, recountProject } from './recount.ts';
export { cohortRemovers } from './removal.ts';
export { cohortRoutes } from './routes.ts';
