/** What policies may ask of a thing (`resource.…`). Absent attributes never allow (docs/clarifications.md, "Policies"). */
export interface ResourceAttributes {
  account: string;
  /** Id of the project that holds it. */
  dataset?: string;
  type:
    | 'account'
    | 'project'
    | 'file'
    | 'upload'
    | 'ingestion'
    | 'table'
    | 'query'
    | 'readGroupSet'
    | 'referenceSet'
    | 'key'
    | 'audit'
    | 'group'
    | 'user'
    | 'invitation'
    | 'client'
    | 'policy'
    | 'cohort'
    | 'ehr'
    | 'sync';
  id?: string;
  /** Id of the user who made it. */
  ownerId?: string;
  /** Id of the patient whom it is about. Only rows of the lake have one (rows.ts). */
  subject?: string;
}
