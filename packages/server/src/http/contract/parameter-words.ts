/* Descriptions of parameters that mean the same in every operation. A schema with a description of its own keeps it. */

/** Kind of the resource whose id follows a segment of a path. */
const kinds: Readonly<Record<string, string>> = {
  accounts: 'account',
  'api-keys': 'API key',
  executing: 'statement',
  exports: 'export',
  files: 'file',
  groups: 'group',
  ingestions: 'ingestion',
  invitations: 'invitation',
  objects: 'object: of a file, with or without its digest',
  parts: 'part',
  pictures: 'picture',
  projects: 'project',
  query: 'statement',
  reads: 'read group set',
  sessions: 'session',
  uploads: 'upload',
  variants: 'file of variants, or a project',
};

const words: Readonly<Record<string, string>> = {
  accessId: 'Id of the way of access, as the object names it',
  account: 'Id of the account',
  by: 'Credential that asked for the address',
  clientId: 'Id of the client',
  datasetId: 'Id of the project',
  done: 'Change that was just made, for the page',
  expand: '`true` names the contents of bundles, of which there are none',
  expires: 'End of the address, in seconds since 1970',
  include: 'Further fields of the answer',
  namespace: 'Namespace of the running query',
  number: 'Number of the part, from 1',
  orderBy: 'Field to order by; `:desc` reverses',
  outcome: 'Outcome of the action',
  pageToken: '`nextPageToken` of the page before',
  signature: 'Signature of the address',
  snapshots: 'Snapshots in the answer: `all` or `refs`',
  table: 'Name of the table',
};

/** Returns the description of a parameter at this path, if it is known. */
export function parameterWords(path: string, name: string): string | undefined {
  if (name !== 'id') return words[name];
  const segments = path.split('/');
  const kind = kinds[segments[segments.indexOf('{id}') - 1] ?? ''];
  return kind && `Id of the ${kind}`;
}
