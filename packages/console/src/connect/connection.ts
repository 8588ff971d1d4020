/** Service, project and files that the lines are about. */
export interface Target {
  /** Address of the service, as `https://host:port`, with its path if it has one. */
  origin: string;
  account: string;
  /** Id of the project, which is also its schema. */
  project: string;
  /** Id of a read group set, of a VCF that htsget serves, and of any file; absent where the project has none. */
  reads?: string | undefined;
  variants?: string | undefined;
  file?: string | undefined;
}

/** A program or protocol, with lines that work as they stand where PLOIDY_API_KEY is set. */
export interface Connection {
  id: string;
  name: string;
  /** One sentence on what is needed. */
  needs: string;
  language: 'shell' | 'python' | 'r' | 'text' | 'properties';
  lines: string;
}
