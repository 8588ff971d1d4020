export { StructuralMapper } from './structural-mapper.ts';
