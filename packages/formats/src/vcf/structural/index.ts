export { StructuralMapper } from './structural-mapper.ts';
export { structuralKeys } from './structural-record.ts';
