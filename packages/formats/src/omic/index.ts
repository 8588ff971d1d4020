export * from './alteration-classes.ts';
export * from './column-uses.ts';
export { namedGene, symbolOf } from './expression/gene-name.ts';
export * from './format.ts';
export { keepDigits } from './given-attributes.ts';
export { missingMafColumns } from './maf/maf.ts';
export * from './name-forms.ts';
export * from './recognise.ts';
export { sampleNameOfFile } from './sample-column.ts';
