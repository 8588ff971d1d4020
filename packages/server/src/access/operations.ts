import type { ResourceAttributes } from './resource.ts';

/** Built-in privileges (operation names of policies). Policies may name others, which have no effect here. */
export const privileges = [
  'accessAdmin',
  'accountAdmin',
  'projectAdmin',
  'createData',
  'readData',
  'readMaskedData',
  'updateData',
  'deleteData',
  'apiKeyUser',
  'auditRead',
] as const;

export type Privilege = (typeof privileges)[number];

/**
 * Requirement of an operation: `public` any caller; `signature` a signed address; `self` a signed-in user, on own resources;
 * `member` a member of the account; otherwise one of several privileges.
 */
export interface Operation {
  needs: 'public' | 'signature' | 'self' | 'member' | Privilege[];
  /** `resource.type` of the resource that policies decide about; for one to be made, the type that it will have. */
  on?: ResourceAttributes['type'];
  /** Audited although it only reads. */
  audited?: boolean;
  /** Set if callers who may read only some patients may use it too, restricted to their rows (rows.ts). */
  byRow?: true;
  /** Description for `ploidy admin docs access`. */
  does: string;
}

type OpenTo = Exclude<Operation['needs'], Privilege[]>;

const operation = (needs: OpenTo, does: string, audited = false): Operation =>
  audited ? { needs, does, audited } : { needs, does };

const on = (
  type: ResourceAttributes['type'],
  needs: Privilege[],
  does: string,
  audited = false,
): Operation => ({ needs, on: type, does, ...(audited && { audited }) });

const byRow = (one: Operation): Operation => ({ ...one, byRow: true });

/** Operations of routes, jobs and tables of the lake. The only place that grants access. */
export const operations = {
  'service.health': operation('public', 'reports whether the process is alive'),
  'service.version': operation('public', 'reports the version of the service'),
  'service.ready': operation('public', 'reports whether records, blobs and engine respond'),
  'service.metrics': operation('public', 'counts and timings, without names or data'),
  'accounts.list': operation('self', 'lists the accounts that the caller is a member of'),
  'accounts.create': operation('self', 'creates an account that the caller owns'),
  'accounts.read': operation('member', 'reads an account'),
  'accounts.update': on('account', ['accountAdmin'], 'renames or restores an account'),
  'accounts.delete': on('account', ['accountAdmin'], 'marks an account for removal, or removes it at once'),
  'accounts.remove': on('account', ['accountAdmin'], 'job: removes all data of an account'),
  'projects.list': operation('member', 'lists the projects of an account (id, name)'),
  'projects.create': on('project', ['projectAdmin'], 'creates a project'),
  'projects.read': operation('member', 'reads a project'),
  'projects.update': on('project', ['projectAdmin'], 'renames or restores a project'),
  'projects.delete': on('project', ['projectAdmin'], 'marks a project for removal, or removes it at once'),
  'projects.remove': on('project', ['projectAdmin'], 'job: removes all data of a project'),
  'files.list': operation('member', 'lists files; only those that the caller may read'),
  'files.create': on('file', ['createData'], 'starts the upload of a file'),
  'files.overwrite': on('file', ['updateData'], 'replaces the bytes of a file'),
  'files.read': on('file', ['readData'], 'reads the bytes or the metadata of a file', true),
  'files.readOwnResult': operation('member', 'reads the result file of a query that the caller ran', true),
  'files.deleteOwnResult': operation('member', 'deletes the result file of a query that the caller ran'),
  'files.update': on('file', ['updateData'], 'renames a file, or moves it into another project'),
  'uploads.continue': on('file', ['createData'], 'uploads and joins parts'),
  'uploads.overwrite': on('file', ['updateData'], 'uploads and joins parts that replace a file'),
  'files.delete': on('file', ['deleteData'], 'deletes a file and what was ingested from it'),
  'transfers.upload': operation('signature', 'uploads the bytes of a file'),
  'transfers.download': operation('signature', 'downloads the bytes of a file'),
  'drs.serviceInfo': operation('public', 'names the version of the data repository'),
  'phenopackets.read': byRow(on('table', ['readData'], 'reads a patient as a phenopacket', true)),
  'beacon.describe': operation('self', 'describes the Beacon'),
  'beacon.count': operation('self', 'counts alleles of projects, each as lake.rows of the caller'),
  'ingestions.create': on('ingestion', ['createData'], 'starts the ingestion of a file'),
  'ingestions.source': on('file', ['createData', 'readData', 'updateData'], 'names a file to ingest'),
  'ingestions.replace': on('ingestion', ['updateData'], 'ingests a file again, replacing its rows'),
  'ingestions.read': on(
    'ingestion',
    ['createData', 'readData'],
    'lists ingestions, reads those of other users',
    true,
  ),
  'ingestions.readOwn': on('ingestion', ['createData', 'readData'], 'follows an ingestion of the caller'),
  'ingestions.cancel': on('ingestion', ['createData'], 'cancels an ingestion'),
  'ingestions.run': on('ingestion', ['createData'], 'job: reads the file, publishes its rows'),
  'datasets.search': operation('member', 'lists datasets: the projects that the caller may read'),
  'datasets.read': on('project', ['readData'], 'reads a dataset'),
  'reads.search': operation('member', 'lists read group sets; only those that the caller may read'),
  'reads.read': on('readGroupSet', ['readData'], 'reads a read group set', true),
  'reads.create': on('readGroupSet', ['createData'], 'creates a read group set of a BAM'),
  'reads.delete': on('readGroupSet', ['deleteData'], 'deletes a read group set; its file stays'),
  'references.search': operation(
    'member',
    'lists references and their sets; only those that the caller may read',
  ),
  'references.read': on('referenceSet', ['readData'], 'reads a reference, its bases, or a reference set'),
  'lake.schema': byRow(on('table', ['readData', 'readMaskedData'], 'lists the tables of a project')),
  'lake.query': byRow(
    on('table', ['readData', 'readMaskedData'], 'runs a statement over the tables of a project', true),
  ),
  'lake.rows': byRow(
    on('table', ['readData', 'readMaskedData'], 'runs a statement and answers its rows, which are not kept'),
  ),
  'lake.listQueries': byRow(
    on(
      'query',
      ['readData', 'readMaskedData'],
      'lists the queries of a project that the caller may read',
      true,
    ),
  ),
  'lake.history': on('query', ['readData', 'readMaskedData'], 'reads the query of another user', true),
  'lake.readOwnQuery': byRow(on('query', ['readData', 'readMaskedData'], 'follows a query of the caller')),
  'lake.cancel': byRow(
    on('query', ['readData', 'readMaskedData'], 'cancels a query: own ones, or any with projectAdmin'),
  ),
  'lake.run': byRow(
    on('table', ['readData', 'readMaskedData'], 'job: runs the statement, writes the result file'),
  ),
  'exports.create': byRow(on('table', ['readData'], 'exports the rows that the caller sees in full', true)),
  'exports.readOwn': operation('self', 'follows an export of the caller; its files as files.readOwnResult'),
  'exports.deleteOwn': operation('self', 'cancels an export of the caller, or deletes its files'),
  'savedQueries.list': byRow(
    on('query', ['readData', 'readMaskedData'], 'lists the own saved queries of a project and shared ones'),
  ),
  'savedQueries.create': byRow(on('query', ['readData', 'readMaskedData'], 'saves a query')),
  'savedQueries.read': on(
    'query',
    ['readData', 'readMaskedData'],
    'reads a shared query of another user',
    true,
  ),
  'savedQueries.readOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'reads a saved query of the caller'),
  ),
  'savedQueries.update': on('query', ['projectAdmin'], 'changes a shared query of another user'),
  'savedQueries.updateOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'changes a saved query of the caller'),
  ),
  'savedQueries.delete': on('query', ['projectAdmin'], 'deletes a shared query of another user'),
  'savedQueries.deleteOwn': byRow(
    on('query', ['readData', 'readMaskedData'], 'deletes a saved query of the caller'),
  ),
  'trino.info': operation('public', 'describes the Trino protocol of the service'),
  'trino.use': operation(
    'self',
    'runs statements over the Trino protocol: each as lake.query over the projects of the caller',
  ),
  'lake.openSettings': operation('public', 'lists the settings of the Iceberg catalogue'),
  'lake.openSchemas': operation('self', 'lists the projects of which the caller sees all rows as they are'),
  'lake.openTables': on('table', ['readData'], 'lists the Iceberg tables of a project'),
  'lake.openTable': on('table', ['readData'], 'opens the files of a table of a project', true),
  'lake.readObject': operation(
    'signature',
    'reads a file of an Iceberg table with the credentials of a loaded table',
  ),
  'lake.remoteSettings': operation(
    'public',
    'lists the settings of the catalogue for the distributed engine',
  ),
  'lake.readRemotely': operation(
    'signature',
    'lets the distributed engine read the tables of a running query',
  ),
  'lake.read': on('table', ['readData'], 'table of the lake: real values'),
  'lake.readMasked': on('table', ['readData', 'readMaskedData'], 'table of the lake: masked values'),
  'analytics.ask': on(
    'table',
    ['readData', 'readMaskedData'],
    'runs an analytics query over the tables of a project',
  ),
  'analytics.fields': operation('self', 'lists the fields of analytics queries'),
  'cohorts.list': operation('member', 'lists the cohorts of a project; only those that the caller may read'),
  'cohorts.create': on('cohort', ['createData'], 'creates a cohort over projects that the caller may read'),
  'cohorts.read': on('cohort', ['readData'], 'reads a cohort, and queries its patients', true),
  'cohorts.update': on('cohort', ['updateData'], 'changes a cohort'),
  'cohorts.delete': on('cohort', ['deleteData'], 'deletes a cohort; its patients stay'),
  'htsget.reads': on('readGroupSet', ['readData'], 'gets a ticket for reads', true),
  'htsget.variants': on('file', ['readData'], 'gets a ticket for the variants of a file', true),
  'htsget.blocks': operation('signature', 'downloads the bytes of a ticket'),
  'htsget.serviceInfo': operation('public', 'lists the formats of tickets'),
  'htsget.index': on('file', ['readData'], 'job: indexes a VCF for reading by region'),
  'groups.list': operation('member', 'lists groups: all with accessAdmin, else own and open ones'),
  'groups.read': operation('member', 'reads a group that the caller may see, or lists its members'),
  'groups.create': on('group', ['accessAdmin'], 'creates a group'),
  'groups.update': on('group', ['accessAdmin'], 'renames or replaces a group'),
  'groups.delete': on(
    'group',
    ['accessAdmin'],
    'deletes a group; members without another group leave the account',
  ),
  'groups.addMember': on('group', ['accessAdmin'], 'adds a member of the account to a group'),
  'groups.removeMember': on('group', ['accessAdmin'], 'removes a member from a group'),
  'groups.join': operation('member', 'joins an open group'),
  'groups.leave': operation('member', 'leaves a group'),
  'members.list': operation(
    'member',
    'lists the members of an account; limited profiles without accessAdmin',
  ),
  'members.readAttributes': on('user', ['accessAdmin'], 'reads the attributes of a member'),
  'members.writeAttributes': on(
    'user',
    ['accessAdmin'],
    'sets the attributes of a member that policies may test',
  ),
  'users.readSelf': operation('self', 'reads the own profile'),
  'users.updateSelf': operation('self', 'changes the own profile'),
  'users.read': operation(
    'self',
    'reads a profile: the own one, or a limited one of a user in an own account',
  ),
  'users.listGroups': operation('self', 'lists the own groups'),
  'users.readPicture': operation('self', 'reads a picture: the own one, or of a user in an own account'),
  'users.writePicture': operation('self', 'sets or removes the own picture'),
  'transfers.picture': operation('signature', 'downloads the bytes of a picture'),
  'keys.list': operation('self', 'lists the caller’s API keys of an account'),
  'keys.create': operation('self', 'creates an API key of the caller for an account'),
  'keys.revoke': operation('self', 'revokes an API key of the caller'),
  'invitations.list': operation('self', 'lists invitations that the caller received or sent'),
  'invitations.create': on('group', ['accessAdmin'], 'invites a user into a group, by e-mail'),
  'invitations.read': on('invitation', ['accessAdmin'], 'reads an invitation into a group of the account'),
  'invitations.readOwn': operation('self', 'reads an invitation that the caller received or sent'),
  'invitations.answer': operation('self', 'accepts or rejects an invitation that the caller received'),
  'invitations.revoke': on('invitation', ['accessAdmin'], 'revokes an invitation'),
  'invitations.resend': on(
    'invitation',
    ['accessAdmin'],
    'sends the mail of an invitation again, with a new link',
  ),
  'invitations.link': operation('signature', 'shows or answers an invitation through the link of its mail'),
  'clients.list': on('client', ['accountAdmin'], 'lists the OAuth clients of an account'),
  'clients.create': on('client', ['accountAdmin'], 'creates an OAuth client'),
  'clients.read': on('client', ['accountAdmin'], 'reads an OAuth client, without its secret'),
  'clients.update': on('client', ['accountAdmin'], 'changes an OAuth client, or its secret'),
  'clients.delete': on('client', ['accountAdmin'], 'deletes an OAuth client and revokes its tokens'),
  'ehrs.list': on('ehr', ['accountAdmin'], 'lists the EHR systems of an account, without keys and secrets'),
  'ehrs.create': on('ehr', ['accountAdmin'], 'creates an EHR configuration'),
  'ehrs.read': on('ehr', ['accountAdmin'], 'reads an EHR configuration, with its key and secret', true),
  'ehrs.publicKeys': operation('public', 'shows the public key of an EHR configuration'),
  'ehrs.update': on('ehr', ['accountAdmin'], 'changes an EHR configuration or its schedule'),
  'ehrs.delete': on('ehr', ['accountAdmin'], 'deletes an EHR configuration; its syncs end'),
  'ehrs.check': on('ehr', ['accountAdmin'], 'tests the connection to an EHR system', true),
  'ehrs.sync': on('ehr', ['accountAdmin'], 'fetches resources from an EHR system'),
  'ehrs.readSyncs': on('sync', ['accountAdmin'], 'lists the syncs of an EHR system, reads one'),
  'ehrs.cancelSync': on('sync', ['accountAdmin'], 'cancels a sync'),
  'ehrs.runSync': on('sync', ['accountAdmin'], 'job: fetches the resources, starts their ingestion'),
  'oauth.authorize': operation('public', 'requests a code or an access token; shows the sign-in page'),
  'oauth.token': operation('public', 'exchanges codes, refresh tokens and client credentials for tokens'),
  'oauth.device': operation('public', 'requests codes for a device without a browser'),
  'oauth.logout': operation('public', 'signs out in a browser'),
  'signIn.form': operation('public', 'accepts e-mail address, password and codes of a sign-in'),
  'signIn.forgotten': operation('public', 'sends a link to set a new password'),
  'security.read': operation('self', 'shows the sign-in methods and sessions of the caller'),
  'security.update': operation('self', 'changes the caller’s password, second factor or recovery codes'),
  'sessions.list': operation('self', 'lists the browsers in which the caller is signed in'),
  'sessions.end': operation('self', 'signs the caller out of a browser'),
  'oauth.revoke': operation('public', 'revokes a token of a client'),
  'oauth.userinfo': operation('self', 'returns the user of an access token'),
  'oauth.discovery': operation('public', 'returns the endpoints and the public keys'),
  'policies.list': on('policy', ['accessAdmin'], 'lists the policies of an account'),
  'policies.read': on('policy', ['accessAdmin'], 'reads a policy'),
  'policies.create': on('policy', ['accessAdmin'], 'creates a policy'),
  'policies.update': on('policy', ['accessAdmin'], 'renames or replaces a policy'),
  'policies.delete': on('policy', ['accessAdmin'], 'deletes a policy'),
  'policies.preview': on('policy', ['accessAdmin'], 'shows whose rights a change of policies would change'),
  'policies.explain': operation('member', 'explains a decision about the caller'),
  'policies.explainOthers': on('policy', ['accessAdmin'], 'explains a decision about another member'),
  'policies.evaluate': operation('self', 'returns the reduced policies of the caller'),
  'policies.evaluateOthers': on('policy', ['accessAdmin'], 'returns the reduced policies of another member'),
  'audit.read': on('audit', ['auditRead'], 'reads the audit log of an account', true),
  'saml.metadata': operation('public', 'describes this service to identity providers'),
  'saml.signIn': operation('public', 'redirects to the identity provider of an application'),
  'saml.answer': operation('public', 'accepts the signed response of an identity provider'),
  'saml.finish': operation('public', 'continues a sign-in in the browser that started it'),
  'setup.password': operation('signature', 'sets a password through a one-time link'),
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Returns the entry of an operation, with the general type. */
export function operationOf(name: OperationName): Operation {
  return operations[name];
}

/** Reports whether an operation needs no authentication: it is public, or the address is signed. */
export function isOpen(name: OperationName): boolean {
  const { needs } = operationOf(name);
  return needs === 'public' || needs === 'signature';
}
