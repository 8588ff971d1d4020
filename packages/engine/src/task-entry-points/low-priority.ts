import { setPriority } from 'node:os';
import { lowNice } from '../watch.ts';

// A thread has the priority that its parent had when it began (setpriority(2)): this is imported before anything that starts threads.
setPriority(lowNice);
