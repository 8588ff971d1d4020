/** The built-in privileges (operation names of policies). Others are allowed in policies and simply unused here. */
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
 * Who may do an operation:
 * `public` anybody · `signature` whoever holds the signed address · `self` any signed-in user, on what is his own ·
 * `member` any member of the account · a privilege, or several of which one is enough, on the resource.
 */
export interface Operation {
  needs: 'public' | 'signature' | 'self' | 'member' | Privilege[];
  /** Written to the audit log also when it only reads. */
  audited?: boolean;
  /** Also for who may read the rows of some patients only (rows.ts): he does it, and meets these rows alone. */
  byRow?: true;
  /** What it does, for docs/access.md. */
  does: string;
}

const operation = (needs: Operation['needs'], does: string, audited = false): Operation =>
  audited ? { needs, does, audited } : { needs, does };

const byRow = (one: Operation): Operation => ({ ...one, byRow: true });

/** Every operation of the service: routes, jobs and tables of the lake name theirs. The only place that says who may. */
export const operations = {
  'service.health': operation('public', 'tells whether the process lives'),
  'service.ready': operation('public', 'tells whether records, blobs and engine answer'),
  'service.metrics': operation('public', 'counts and timings, without names or data'),
  'accounts.list': operation('self', 'lists the accounts that the caller is a member of'),
  'accounts.create': operation('self', 'makes an account that the caller then owns'),
  'accounts.read': operation('member', 'reads an account'),
  'accounts.update': operation(['accountAdmin'], 'renames or restores an account'),
  'accounts.delete': operation(['accountAdmin'], 'marks an account for removal, or removes it at once'),
  'accounts.remove': operation(['accountAdmin'], 'job: removes everything that an account held'),
  'projects.list': operation('member', 'lists the projects of an account (id, name)'),
  'projects.create': operation(['projectAdmin'], 'makes a project'),
  'projects.read': operation('member', 'reads a project'),
  'projects.update': operation(['projectAdmin'], 'renames or restores a project'),
  'projects.delete': operation(['projectAdmin'], 'marks a project for removal, or removes it at once'),
  'projects.remove': operation(['projectAdmin'], 'job: removes everything that a project held'),
  'files.list': operation('member', 'lists files; only those that the caller may read'),
  'files.create': operation(['createData'], 'begins the upload of a file'),
  'files.overwrite': operation(['updateData'], 'replaces the bytes of a file'),
  'files.read': operation(['readData'], 'reads the bytes or the metadata of a file', true),
  'files.readOwnResult': operation('member', 'reads the result file of a query that the caller ran', true),
  'files.update': operation(['updateData'], 'renames a file, or moves it into another project'),
  'uploads.continue': operation(['createData'], 'sends and joins the parts of an upload'),
  'uploads.overwrite': operation(['updateData'], 'the same for an upload that replaces a file'),
  'files.delete': operation(['deleteData'], 'deletes a file and what was ingested from it'),
  'transfers.upload': operation('signature', 'puts the bytes of a file'),
  'transfers.download': operation('signature', 'gets the bytes of a file'),
  'ingestions.create': operation(['createData'], 'starts the ingestion of a file'),
  'ingestions.replace': operation(['updateData'], 'ingests a file again: what it gave before is replaced'),
  'ingestions.read': operation(['createData', 'readData'], 'lists ingestions, reads those of others', true),
  'ingestions.readOwn': operation(['createData', 'readData'], 'follows an ingestion of the caller'),
  'ingestions.cancel': operation(['createData'], 'cancels an ingestion'),
  'ingestions.run': operation(['createData'], 'job: reads the file, makes its rows visible'),
  'datasets.search': operation('member', 'lists datasets: the projects that the caller may read'),
  'datasets.read': operation(['readData'], 'reads a dataset'),
  'reads.search': operation('member', 'lists read group sets; only those that the caller may read'),
  'reads.read': operation(['readData'], 'reads a read group set', true),
  'reads.create': operation(['createData'], 'makes a read group set of a BAM'),
  'reads.delete': operation(['deleteData'], 'deletes a read group set; its file stays'),
  'references.search': operation(
    'member',
    'lists references and their sets; only those that the caller may read',
  ),
  'references.read': operation(['readData'], 'reads a reference, its bases, or a reference set'),
  'lake.schema': byRow(operation(['readData', 'readMaskedData'], 'lists the tables of a project')),
  'lake.query': byRow(
    operation(['readData', 'readMaskedData'], 'runs a statement over the tables of a project', true),
  ),
  'lake.listQueries': byRow(
    operation(['readData', 'readMaskedData'], 'lists the queries of a project; those that may be read', true),
  ),
  'lake.history': operation(['readData', 'readMaskedData'], 'reads the query of somebody else', true),
  'lake.readOwnQuery': byRow(operation(['readData', 'readMaskedData'], 'follows a query of the caller')),
  'lake.cancel': byRow(
    operation(['readData', 'readMaskedData'], 'cancels a query: its own, or with projectAdmin any'),
  ),
  'lake.run': byRow(
    operation(['readData', 'readMaskedData'], 'job: runs the statement, writes the result file'),
  ),
  'lake.read': operation(['readData'], 'table of the lake: real values'),
  'lake.readMasked': operation(
    ['readData', 'readMaskedData'],
    'table of the lake: masked values, of whatever may be read at all',
  ),
  'analytics.ask': operation(['readData', 'readMaskedData'], 'asks a question over the tables of a project'),
  'analytics.fields': operation('self', 'lists the fields that such questions may name'),
  'cohorts.list': operation('member', 'lists the cohorts of a project; only those that the caller may read'),
  'cohorts.create': operation(['createData'], 'makes a cohort over projects that the caller may read'),
  'cohorts.read': operation(['readData'], 'reads a cohort, and asks questions about its patients', true),
  'cohorts.update': operation(['updateData'], 'changes a cohort'),
  'cohorts.delete': operation(['deleteData'], 'deletes a cohort; its patients stay'),
  'htsget.reads': operation(['readData'], 'gets a ticket for reads', true),
  'htsget.variants': operation(['readData'], 'gets a ticket for the variants of a file', true),
  'htsget.blocks': operation('signature', 'gets the bytes that a ticket names'),
  'htsget.serviceInfo': operation('public', 'tells which formats tickets are given for'),
  'htsget.index': operation(['readData'], 'job: indexes a VCF, so that regions of it can be read'),
  'groups.list': operation('member', 'lists groups: all with accessAdmin, else one’s own and the open ones'),
  'groups.read': operation('member', 'reads a group that the caller may see, or lists its members'),
  'groups.create': operation(['accessAdmin'], 'makes a group'),
  'groups.update': operation(['accessAdmin'], 'renames or replaces a group'),
  'groups.delete': operation(['accessAdmin'], 'deletes a group; who was only in it leaves the account'),
  'groups.addMember': operation(['accessAdmin'], 'puts a member of the account into a group'),
  'groups.removeMember': operation(['accessAdmin'], 'removes somebody from a group'),
  'groups.join': operation('member', 'joins an open group oneself'),
  'groups.leave': operation('member', 'leaves a group oneself'),
  'members.list': operation('member', 'lists the people of an account; limited profiles without accessAdmin'),
  'members.readAttributes': operation(['accessAdmin'], 'reads what the account says of one of its people'),
  'members.writeAttributes': operation(['accessAdmin'], 'sets what policies may ask of a person'),
  'users.readSelf': operation('self', 'reads one’s own profile'),
  'users.updateSelf': operation('self', 'changes one’s own profile'),
  'users.read': operation(
    'self',
    'reads a profile: one’s own, or limited that of somebody in an own account',
  ),
  'users.listGroups': operation('self', 'lists one’s own groups'),
  'users.readPicture': operation('self', 'reads a picture: one’s own, or of somebody in an own account'),
  'users.writePicture': operation('self', 'sets or removes one’s own picture'),
  'transfers.picture': operation('signature', 'gets the bytes of a picture'),
  'keys.list': operation('self', 'lists the caller’s API keys of an account'),
  'keys.create': operation('self', 'makes an API key of the caller for an account'),
  'keys.revoke': operation('self', 'revokes an API key of the caller'),
  'invitations.list': operation('self', 'lists invitations that the caller received or sent'),
  'invitations.create': operation(['accessAdmin'], 'invites somebody into a group, by e-mail'),
  'invitations.read': operation(['accessAdmin'], 'reads an invitation into a group of the account'),
  'invitations.readOwn': operation('self', 'reads an invitation that the caller received or sent'),
  'invitations.answer': operation('self', 'accepts or rejects an invitation that the caller received'),
  'invitations.revoke': operation(['accessAdmin'], 'takes an invitation back'),
  'invitations.resend': operation(['accessAdmin'], 'sends the mail of an invitation again, with a new link'),
  'invitations.link': operation('signature', 'shows or answers an invitation through the link of its mail'),
  'clients.list': operation(['accountAdmin'], 'lists the OAuth clients of an account'),
  'clients.create': operation(['accountAdmin'], 'makes an OAuth client'),
  'clients.read': operation(['accountAdmin'], 'reads an OAuth client, without its secret'),
  'clients.update': operation(['accountAdmin'], 'changes an OAuth client, or gives it a new secret'),
  'clients.delete': operation(['accountAdmin'], 'deletes an OAuth client; what it was given stops working'),
  'ehrs.list': operation(['accountAdmin'], 'lists the EHR systems of an account, without keys and secrets'),
  'ehrs.create': operation(['accountAdmin'], 'makes an EHR configuration'),
  'ehrs.read': operation(['accountAdmin'], 'reads an EHR configuration, with its key and secret', true),
  'ehrs.publicKeys': operation('public', 'tells an EHR system the public key of its configuration'),
  'ehrs.update': operation(['accountAdmin'], 'changes an EHR configuration or its schedule'),
  'ehrs.delete': operation(['accountAdmin'], 'deletes an EHR configuration; its syncs end'),
  'ehrs.sync': operation(['accountAdmin'], 'pulls resources from an EHR system'),
  'ehrs.fill': operation(['createData'], 'lets an EHR system, or its schedule, fill a project'),
  'ehrs.readSyncs': operation(['accountAdmin'], 'lists the syncs of an EHR system, follows one'),
  'ehrs.cancelSync': operation(['accountAdmin'], 'cancels a sync'),
  'ehrs.runSync': operation(['accountAdmin'], 'job: pulls the resources, begins their ingestion'),
  'oauth.authorize': operation('public', 'asks for a code or an access token; shows the sign-in view'),
  'oauth.token': operation('public', 'exchanges codes, refresh tokens and client credentials for tokens'),
  'oauth.logout': operation('public', 'signs out in a browser'),
  'signIn.form': operation('public', 'takes e-mail address, password and codes of who signs in'),
  'signIn.forgotten': operation('public', 'sends a link with which to choose a new password'),
  'security.read': operation('self', 'shows how the caller signs in, and where he is signed in'),
  'security.update': operation('self', 'changes the caller’s password, second factor or recovery codes'),
  'sessions.list': operation('self', 'lists the browsers in which the caller is signed in'),
  'sessions.end': operation('self', 'signs the caller out of a browser'),
  'oauth.revoke': operation('public', 'revokes what a client was given'),
  'oauth.userinfo': operation('self', 'tells a client about the user of its access token'),
  'oauth.discovery': operation('public', 'tells where everything is, and the public keys'),
  'policies.list': operation(['accessAdmin'], 'lists the policies of an account'),
  'policies.read': operation(['accessAdmin'], 'reads a policy'),
  'policies.create': operation(['accessAdmin'], 'makes a policy'),
  'policies.update': operation(['accessAdmin'], 'renames or replaces a policy'),
  'policies.delete': operation(['accessAdmin'], 'deletes a policy'),
  'policies.preview': operation(['accessAdmin'], 'tells whose rights a change of policies would change'),
  'policies.explain': operation('member', 'tells why the caller may do something, or may not'),
  'policies.explainOthers': operation(
    ['accessAdmin'],
    'tells why another member may do something, or may not',
  ),
  'policies.evaluate': operation('self', 'reads what the policies leave for the caller'),
  'policies.evaluateOthers': operation(['accessAdmin'], 'reads what the policies leave for another member'),
  'audit.read': operation(['auditRead'], 'reads the audit log of an account', true),
  'saml.metadata': operation('public', 'describes this service to identity providers'),
  'saml.signIn': operation('public', 'goes to the identity provider of an application'),
  'saml.answer': operation('public', 'takes the signed answer of an identity provider to a request of ours'),
  'saml.finish': operation('public', 'goes on in the browser that began the sign-in'),
  'setup.password': operation('signature', 'sets a password through a one-time link'),
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The entry of an operation, with the general type. */
export function operationOf(name: OperationName): Operation {
  return operations[name];
}

/** Whether nobody has to say who he is: it is for anybody, or for whoever holds the signed address. */
export function isOpen(name: OperationName): boolean {
  const { needs } = operationOf(name);
  return needs === 'public' || needs === 'signature';
}
