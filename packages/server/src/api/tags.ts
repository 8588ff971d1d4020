const descriptions = {
  Accounts: 'Accounts, which hold people, projects and policies.',
  Projects: 'Projects, which hold files and the tables of a data lake.',
  Groups: 'Groups of an account and their members.',
  Users: 'The caller, and the users of an account.',
  Files: 'Files of a project: upload, download, metadata.',
  'Files: DRS': 'Files as objects (GA4GH Data Repository Service).',
  Ingestion: 'Turning files into rows, reads and references.',
  Genomics: 'Read group sets, reference sets and references.',
  'Genomics: htsget': 'Reads and variants of a region (GA4GH htsget).',
  'Genomics: Beacon': 'Presence and number of variants (GA4GH Beacon).',
  FHIR: 'Resources of a project as FHIR R4, read-only.',
  'Data lake': 'SQL over the tables of a project.',
  'Trino protocol': 'SQL for clients of Trino: drivers, notebooks and BI tools.',
  'Distributed engine': 'Iceberg catalogue that a Trino cluster of this service reads.',
  Iceberg: 'Tables of projects as Iceberg tables, read-only, for callers who see all rows as they are.',
  Assistants: 'Tools for assistants by the Model Context Protocol, as the person who connected them.',
  Cohorts: 'Sets of patients, by queries.',
  Analytics: 'Counts, aggregations and rows by a JSON query.',
  Clients: 'Applications that may sign users in (OAuth 2.0 clients).',
  'Sign-in': 'OAuth 2.0, OpenID Connect, SAML, passwords, second factors and sessions.',
  'Set-up': 'Pages of the first start.',
  'API keys': 'Keys of programs.',
  Invitations: 'Invitations into the groups of an account.',
  'EHR systems': 'Connections to FHIR servers, and what was fetched from them.',
  Policies: 'Attribute-based access policies: manage, explain, preview.',
  Events: 'Webhooks of an account, and the events of a project as a stream.',
  Audit: 'The audit log of an account.',
  Service: 'Health, version and metrics of the service.',
};

/** Name of a group of operations. */
export type Tag = keyof typeof descriptions;

/** Groups of operations in the API document, in its order. */
export const tags = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
