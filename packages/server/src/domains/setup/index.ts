export { Admin } from './admin.ts';
export { type FirstRun, setUp } from './first-run.ts';
