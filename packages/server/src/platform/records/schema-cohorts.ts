/** Epoch milliseconds. */
type Time = number;
/** JSON text. */
type Json = string;

export interface CohortsTable {
  id: string;
  account_id: string;
  /** The project that owns it. */
  project_id: string;
  name: string;
  name_key: string;
  description: string;
  /** JSON array of {project, queryType, query}. */
  queries: Json;
  /** JSON array: patients that are named one by one. */
  subject_ids: Json;
  creator_id: string;
  created_at: Time;
  /** When it was made, or what makes its members was last changed. */
  counted_at: Time;
}

/** The members of a cohort in one project. They are a segment of the lake whose source is the part. */
export interface CohortPartsTable {
  id: string;
  cohort_id: string;
  project_id: string;
  account_id: string;
  /** The data that it was last counted over. */
  data_version: number;
  /** Signature of the annotations of the service; empty: none. */
  annotations: string;
  /** When its queries may have other members although the data are the same; null: they ask for no time. */
  holds_until: Time | null;
  /** State of its last count. */
  member_count: number;
  counted_at: Time;
  /** Reason why it could not be counted over the current data. */
  error: string | null;
}

/** A count of a cohort in one project that differs from the one before. */
export interface CohortCountsTable {
  /** Ordered by time. */
  id: string;
  cohort_id: string;
  project_id: string;
  account_id: string;
  member_count: number;
  counted_at: Time;
}

/** Layout of the charts of a study. */
export interface StudyLayoutsTable {
  id: string;
  account_id: string;
  project_id: string;
  /** User whose it is; '' for the shared one of the project. */
  owner_id: string;
  charts: Json;
  modified_at: Time;
}

export interface CohortTables {
  cohorts: CohortsTable;
  cohort_parts: CohortPartsTable;
  cohort_counts: CohortCountsTable;
  study_layouts: StudyLayoutsTable;
}
