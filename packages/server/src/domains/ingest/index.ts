export { Ingestions, refuseWhileIngesting } from './ingestions.ts';
export { ingestionRemovers } from './removal.ts';
export { seesSomePatientsOnly } from './rights.ts';
export { ingestionRoutes } from './routes.ts';
export { runIngestions } from './run-ingestion.ts';
