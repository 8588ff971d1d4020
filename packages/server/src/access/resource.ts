/** Values of `resource.type`. */
export const resourceTypes = [
  'account',
  'project',
  'file',
  'ingestion',
  'table',
  'query',
  'readGroupSet',
  'referenceSet',
  'key',
  'audit',
  'group',
  'user',
  'invitation',
  'client',
  'policy',
  'cohort',
  'ehr',
  'sync',
  'webhook',
] as const;

/**
 * Attributes of a resource that policies may test (`resource.…`). Absent ones never allow
 * (docs/api/policies.md).
 */
export interface ResourceAttributes {
  account: string;
  /** Id of its project. */
  dataset?: string;
  type: (typeof resourceTypes)[number];
  id?: string;
  /** Id of the user who created it. */
  ownerId?: string;
  /** Id of its patient. Only rows of the lake have one (rows.ts). */
  subject?: string;
}

/**
 * Returns the attributes of a resource that a caller asks to make in a project: those that it will have. It has
 * no id yet, and its owner is the caller.
 */
export function attributesOfNew(
  type: ResourceAttributes['type'],
  { account, id: dataset }: { account: string; id: string },
  { userId: ownerId }: { userId: string },
): ResourceAttributes {
  return { account, dataset, type, ownerId };
}
