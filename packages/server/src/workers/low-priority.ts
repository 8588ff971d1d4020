import { setPriority } from 'node:os';

/** Somebody may be waiting for an ingestion or a query. Less would be never where other programs keep the processors busy. */
const nice = 10;

// A thread has the priority that its parent had when it began (setpriority(2)): this is imported before anything that starts threads.
setPriority(nice);
