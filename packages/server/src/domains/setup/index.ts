export { Admin } from './admin.ts';
export { type FirstRun, setUp } from './first-run.ts';
export { Passwords } from './passwords.ts';
export { setUpRoutes } from './routes.ts';
