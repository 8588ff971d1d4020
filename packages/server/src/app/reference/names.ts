/** Reference pages, printed by `ploidy admin docs NAME` and served at `/docs/NAME`. */
export const referenceNames = [
  'access',
  'analytics-fields',
  'configuration',
  'errors',
  'formats',
  'tables',
] as const;

export type ReferenceName = (typeof referenceNames)[number];
