export { queueLostRemovals, removeDue } from './due.ts';
export { Removals, removedAccounts } from './removals.ts';
export type { RemovedBatch, RemovedKind, Remover } from './remover.ts';
export { rowsOf, stopWork } from './rows.ts';
export { runRemovals } from './run-removal.ts';
