export { CallerCache, type Verified } from './caller-cache.ts';
export { Callers, type Principal } from './callers.ts';
