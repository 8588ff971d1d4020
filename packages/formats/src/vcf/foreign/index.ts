export { isOfAnnovar } from './annovar.ts';
export * from './foreign-lines.ts';
export * from './translation.ts';
