export { type Cell, Cells } from './cells.ts';
export { patientsOf } from './filter.ts';
export { layoutRoutes } from './layout/routes.ts';
export { MadeFiles } from './made-files.ts';
export { readStored } from './read-study.ts';
export { studyRoutes } from './routes.ts';
export { Study } from './study.ts';
