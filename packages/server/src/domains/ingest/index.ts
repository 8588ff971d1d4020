export { Ingestions } from './ingestions.ts';
export { ingestionRoutes } from './routes.ts';
export { runIngestions } from './run-ingestion.ts';
