/** A part of an upload that has arrived. Its blob is its own until the parts are joined. */
export interface UploadPartsTable {
  upload_id: string;
  /** Project of the upload: its removal removes these too. */
  project_id: string;
  /** 1 to 10,000; the order in which parts are joined. */
  number: number;
  blob_key: string;
  size: number;
  created_at: number;
}

/** Tables of uploads in parts; the `Database` of the domains extends it. */
export interface UploadPartTables {
  upload_parts: UploadPartsTable;
}
