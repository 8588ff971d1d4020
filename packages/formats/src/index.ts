export * from './delimited/index.ts';
export * from './fhir/index.ts';
export { InputError } from './input-error.ts';
export * from './omic/index.ts';
export * from './parquet/index.ts';
export * from './tables/index.ts';
export * from './vcf/index.ts';
