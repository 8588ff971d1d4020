export * from './header.ts';
export * from './sam-header.ts';
