export { fillConsequences } from './fill-consequences.ts';
export { attributesOfIngestion, type FoundIngestion, knowsFile, viewOfIngestion } from './ingestion.ts';
export { Ingestions, ingestionRemovers, refuseWhileIngesting } from './ingestions.ts';
export { requireFullAccessToRows, seesSomePatientsOnly } from './rights.ts';
export { ingestionRoutes } from './routes.ts';
export { runIngestions } from './run-ingestion.ts';
