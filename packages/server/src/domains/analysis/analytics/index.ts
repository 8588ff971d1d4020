export { Analytics } from './analytics.ts';
export type { CohortDoor } from './asked.ts';
export { fieldsDocument } from './describe-fields.ts';
export { KnownCollections } from './fields.ts';
export type { PatientTest } from './query.ts';
export type { UnknownKeys } from './read/input-errors.ts';
export { readQuery } from './read/read-query.ts';
export { cohortsNamed } from './read/read-where.ts';
export { analyticsRoutes } from './routes.ts';
