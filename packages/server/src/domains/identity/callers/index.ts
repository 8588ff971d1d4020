export { Callers, type Principal } from './callers.ts';
