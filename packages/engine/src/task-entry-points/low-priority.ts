import { setPriority } from 'node:os';

/** Lower priority would starve on a host with other busy programs, and a user may be waiting. */
const nice = 10;

// A thread has the priority that its parent had when it began (setpriority(2)): this is imported before anything that starts threads.
setPriority(nice);
