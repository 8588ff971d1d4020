export { viewRoutes } from './routes.ts';
export { Views } from './views.ts';
