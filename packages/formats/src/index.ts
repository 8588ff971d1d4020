export { InputError } from './input-error.ts';
export * from './tables/index.ts';
