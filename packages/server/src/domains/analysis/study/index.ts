export { studyRoutes } from './routes.ts';
export { Study } from './study.ts';
