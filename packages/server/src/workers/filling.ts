import { setPriority } from 'node:os';

/** Somebody may be waiting for an ingestion or a query. Less would be never where other programs keep the processors busy. */
const nice = 10;

/** The process that converts, giving way to everything else. */
// Before the engine starts its threads, which take it over.
setPriority(nice);
await import('./conversion.ts');
