import { type OperationName, operationOf } from '../../../access/operations.ts';
import type { AuditAction } from '../../audit/index.ts';

/** Areas of the audit log without an event: sign-ins, reads by protocols, own settings and commands on the host. */
type SilentArea =
  | ('admin' | 'oauth' | 'saml' | 'security' | 'sessions' | 'setup' | 'signIn')
  | (
      | 'analytics'
      | 'beacon'
      | 'buckets'
      | 'datasets'
      | 'drs'
      | 'exports'
      | 'htsget'
      | 'fhir'
      | 'phenopackets'
      | 'references'
      | 'reports'
    )
  | (
      | 'events'
      | 'keys'
      | 'savedQueries'
      | 'service'
      | 'study'
      | 'trino'
      | 'transfers'
      | 'uploads'
      | 'users'
      | 'webhooks'
    );
/** First words of operations that change nothing. */
type Reading =
  | (
      | 'activity'
      | 'check'
      | 'evaluate'
      | 'explain'
      | 'history'
      | 'list'
      | 'open'
      | 'preview'
      | 'public'
      | 'query'
    )
  | ('read' | 'remote' | 'rows' | 'schema' | 'search' | 'source');
type Silent = Extract<AuditAction, `${SilentArea}.${string}` | `${string}.${Reading}${string}` | 'refusals'>;

/** Event that an entry of the audit log is for others. */
interface Announced {
  kind: `${string}.${string}`;
  /** Operation that a receiver must be allowed on the resource. */
  needs: OperationName;
  /** Operation that the user needs whose work it is; absent: the same. */
  own?: OperationName;
  says: string;
  /** Set if it is the end of work, which may have failed. */
  ends?: true;
}

/**
 * Event of each action of the audit log; `null`: a step whose end has an event of its own. An action that is new, and
 * neither here nor among those that change nothing, does not compile.
 */
const announced = {
  'files.create': null,
  'files.upload': { kind: 'file.arrived', needs: 'files.read', says: 'the bytes of a new file are stored' },
  'files.overwrite': {
    ...{ kind: 'file.replaced', needs: 'files.read' },
    says: 'the bytes of a file were replaced',
  },
  'files.update': { kind: 'file.changed', needs: 'files.read', says: 'a file was renamed or moved' },
  'files.delete': { kind: 'file.deleted', needs: 'files.read', says: 'a file was deleted' },
  'files.deleteOwnResult': null,
  'ingestions.create': {
    ...{ kind: 'ingestion.requested', needs: 'ingestions.read' },
    says: 'the ingestion of a file waits to run',
  },
  'ingestions.replace': {
    ...{ kind: 'ingestion.requested', needs: 'ingestions.read' },
    says: 'the ingestion of a file waits to run',
  },
  'ingestions.run': {
    ...{ kind: 'ingestion.ended', needs: 'ingestions.read', own: 'ingestions.readOwn', ends: true },
    says: 'an ingestion succeeded or failed',
  },
  'ingestions.cancel': {
    ...{ kind: 'ingestion.cancelled', needs: 'ingestions.read' },
    says: 'an ingestion was cancelled',
  },
  'lake.run': {
    ...{ kind: 'query.ended', needs: 'lake.history', own: 'lake.readOwnQuery', ends: true },
    says: 'a query succeeded or failed',
  },
  'lake.cancel': { kind: 'query.cancelled', needs: 'lake.history', says: 'a query was cancelled' },
  'ehrs.sync': null,
  'ehrs.runSync': {
    ...{ kind: 'sync.ended', needs: 'ehrs.readSyncs', ends: true },
    says: 'a sync from an EHR system succeeded or failed',
  },
  'ehrs.cancelSync': { kind: 'sync.cancelled', needs: 'ehrs.readSyncs', says: 'a sync was cancelled' },
  'ehrs.create': { kind: 'ehr.created', needs: 'ehrs.read', says: 'an EHR system was configured' },
  'ehrs.update': { kind: 'ehr.changed', needs: 'ehrs.read', says: 'the settings of an EHR system changed' },
  'ehrs.delete': { kind: 'ehr.deleted', needs: 'ehrs.read', says: 'an EHR system was removed' },
  'reads.create': { kind: 'reads.created', needs: 'reads.read', says: 'a read group set was made' },
  'reads.delete': { kind: 'reads.deleted', needs: 'reads.read', says: 'a read group set was deleted' },
  'samples.replace': { kind: 'samples.changed', needs: 'samples.read', says: 'samples got other patients' },
  'cohorts.create': { kind: 'cohort.created', needs: 'cohorts.read', says: 'a cohort was made' },
  'cohorts.update': { kind: 'cohort.changed', needs: 'cohorts.read', says: 'a cohort was changed' },
  'cohorts.delete': { kind: 'cohort.deleted', needs: 'cohorts.read', says: 'a cohort was deleted' },
  'projects.create': { kind: 'project.created', needs: 'projects.read', says: 'a project was made' },
  'projects.update': {
    ...{ kind: 'project.changed', needs: 'projects.read' },
    says: 'a project was renamed, or its deletion cancelled',
  },
  'projects.delete': {
    ...{ kind: 'project.deleted', needs: 'projects.read' },
    says: 'a project was deleted, or marked for deletion',
  },
  'projects.remove': {
    ...{ kind: 'project.removed', needs: 'projects.read' },
    says: 'all data of a deleted project are gone',
  },
  'accounts.create': null,
  'accounts.health': null,
  'assistants.describe': null,
  'assistants.use': null,
  'annotations.changes': null,
  'annotations.release': {
    ...{ kind: 'annotation.changed', needs: 'annotations.changes' },
    says: 'a release of annotations changed values; the list of changes names those that samples carry',
  },
  'annotations.pause': null,
  'accounts.update': { kind: 'account.changed', needs: 'accounts.update', says: 'the account was changed' },
  'accounts.delete': {
    ...{ kind: 'account.deleted', needs: 'accounts.update' },
    says: 'the account was marked for deletion',
  },
  // Its webhooks are gone with it.
  'accounts.remove': null,
  'groups.create': { kind: 'group.created', needs: 'groups.update', says: 'a group was made' },
  'groups.update': { kind: 'group.changed', needs: 'groups.update', says: 'a group was changed' },
  'groups.delete': { kind: 'group.deleted', needs: 'groups.update', says: 'a group was deleted' },
  'groups.addMember': { kind: 'group.joined', needs: 'groups.update', says: 'a group has a further member' },
  'groups.join': { kind: 'group.joined', needs: 'groups.update', says: 'a group has a further member' },
  'groups.removeMember': { kind: 'group.left', needs: 'groups.update', says: 'a group lost a member' },
  'groups.leave': { kind: 'group.left', needs: 'groups.update', says: 'a group lost a member' },
  'members.writeAttributes': {
    ...{ kind: 'member.changed', needs: 'members.readAttributes' },
    says: 'a member got other attributes',
  },
  'invitations.create': {
    ...{ kind: 'invitation.created', needs: 'invitations.read' },
    says: 'a person was invited',
  },
  'invitations.accept': {
    ...{ kind: 'invitation.answered', needs: 'invitations.read' },
    says: 'an invitation was accepted or rejected',
  },
  'invitations.reject': {
    ...{ kind: 'invitation.answered', needs: 'invitations.read' },
    says: 'an invitation was accepted or rejected',
  },
  'invitations.answer': null,
  'invitations.link': null,
  'invitations.resend': null,
  'invitations.revoke': {
    ...{ kind: 'invitation.revoked', needs: 'invitations.read' },
    says: 'an invitation was revoked',
  },
  'clients.create': { kind: 'client.created', needs: 'clients.read', says: 'an OAuth client was made' },
  'clients.update': { kind: 'client.changed', needs: 'clients.read', says: 'an OAuth client was changed' },
  'clients.delete': { kind: 'client.deleted', needs: 'clients.read', says: 'an OAuth client was deleted' },
  'policies.create': { kind: 'policy.created', needs: 'policies.read', says: 'a policy was made' },
  'policies.update': { kind: 'policy.changed', needs: 'policies.read', says: 'a policy was changed' },
  'policies.delete': { kind: 'policy.deleted', needs: 'policies.read', says: 'a policy was deleted' },
} as const satisfies Record<Exclude<AuditAction, Silent>, Announced | null>;

type Named = NonNullable<(typeof announced)[keyof typeof announced]>;

/** Kind of an event. */
export type EventKind = Named['kind'];

const byAction = new Map(
  Object.entries<Announced | null>(announced).flatMap(([action, one]) =>
    one ? [[action, one] as const] : [],
  ),
);

/** Actions that have an event. */
export const announcedActions: readonly string[] = [...byAction.keys()];

/** Each kind with its meaning, in the order of the kinds. */
export const eventKinds: ReadonlyMap<EventKind, string> = new Map(
  [...byAction.values()]
    .map(({ kind, says }) => [kind as EventKind, says] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1)),
);

/** Returns the event of an action: its kind, and the operations that its receivers need. */
export function announcedAs(action: string) {
  const one = byAction.get(action);
  if (!one) return undefined;
  const { kind, needs, own = needs, ends } = one;
  return { kind: kind as EventKind, needs, own, on: operationOf(needs).on, isEnd: ends === true };
}
