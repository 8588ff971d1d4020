/** A file or folder of one level. */
export interface Entry {
  type: string;
  id?: string;
  name: string;
  size?: number;
  contentType?: string;
  lastModified?: string;
}

export type Doing = 'preview' | 'ingest' | 'rename' | 'delete';
