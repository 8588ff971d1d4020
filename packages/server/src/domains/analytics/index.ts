export { Analytics } from './analytics.ts';
export { fieldsDocument } from './describe-fields.ts';
export type { UnknownKeys } from './mistakes.ts';
export type { PatientTest } from './query.ts';
export { readQuery } from './read-query.ts';
export { type AnalyticsRouteParts, analyticsRoutes, type CohortDoor } from './routes.ts';
