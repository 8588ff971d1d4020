export * from './fields.ts';
export * from './header.ts';
export * from './layout.ts';
export * from './record-fault.ts';
export * from './record-reader.ts';
