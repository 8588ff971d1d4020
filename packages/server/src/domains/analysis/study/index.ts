export { patientsOf } from './filter.ts';
export { readStored } from './read-study.ts';
export { studyRoutes } from './routes.ts';
export { Study } from './study.ts';
