export * from './bai/index.ts';
export * from './bam/index.ts';
export * from './bgzf/index.ts';
export * from './fasta/index.ts';
export * from './fhir/index.ts';
export { InputError } from './input-error.ts';
export * from './parquet/index.ts';
export * from './tables/index.ts';
export * from './vcf/index.ts';
