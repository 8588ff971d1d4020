import type { OperationName } from '../../access/operations.ts';

/** Events that are no operation: commands on the host, steps of sign-ins, and counts of events. */
export const ownActions = {
  'admin.restore': 'host: restored a backup',
  'admin.addAccount': 'host: created an account',
  'admin.addUser': 'host: created a user',
  'admin.addKey': 'host: created an API key of a user',
  'admin.changeOwner': 'host: changed the owner of an account',
  'admin.firstParty': 'host: allowed a client to skip consent, or no longer',
  'admin.removeSecondFactor': 'host: removed the second factor of a user',
  'admin.signOut': 'host: ended the sessions and tokens of a user',
  'setup.firstRun': 'host: created the first account',
  'signIn.done': 'signed in with a password',
  'signIn.failed': 'gave a wrong password or code',
  'signIn.out': 'signed out',
  'oauth.signIn': 'an application got a code or tokens for a user',
  'oauth.clientCredentials': 'an application got a token of its own',
  'oauth.reuse': 'a code or token was used a second time; its tokens ended',
  'saml.makeUser': 'an identity provider created a user',
  'saml.linkUser': 'an identity provider signed in a known user for the first time',
  'saml.joinGroup': 'an identity provider put a user into a group',
  'saml.leaveGroup': 'an identity provider took a user out of a group',
  'saml.refuse': 'a response of an identity provider was refused',
  'security.password': 'changed the password',
  'security.secondFactorOn': 'turned on the second factor',
  'security.secondFactorOff': 'turned off the second factor',
  'security.recoveryCodes': 'made new recovery codes',
  'invitations.accept': 'accepted an invitation',
  'invitations.reject': 'rejected an invitation',
  'files.upload': 'the bytes of a new file were stored',
  'annotations.release': 'a release of annotations changed values of the one before',
  refusals: 'number of further refusals within a minute',
} as const;

/** Name of what an event of the audit log is about. */
export type AuditAction = OperationName | keyof typeof ownActions;
