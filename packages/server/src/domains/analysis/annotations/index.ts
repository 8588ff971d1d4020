export { annotationChangeRoute } from './change-routes.ts';
