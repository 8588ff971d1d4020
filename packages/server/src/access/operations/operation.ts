import type { ResourceAttributes } from '../resource.ts';

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
 * Requirement of an operation:
 * `public` any caller; `signature` a signed address; `self` any signed-in user, on own resources;
 * `member` any member of the account; one of several privileges on the resource.
 */
export interface Operation {
  needs: 'public' | 'signature' | 'self' | 'member' | Privilege[];
  /** `resource.type` of the resource that policies decide about; for one to be made, the type that it will have. */
  on?: ResourceAttributes['type'];
  /** Audited although it only reads. */
  audited?: boolean;
  /** Set if callers who may read only some patients may use it too, restricted to their rows (rows.ts). */
  byRow?: true;
  /** Set for operations on own resources that are answered to an administrator who looks as their user. */
  inView?: true;
  /** Description for `ploidy admin docs access`. */
  does: string;
}

type OpenTo = Exclude<Operation['needs'], Privilege[]>;

/** Returns an operation that asks no privilege. */
export const operation = (needs: OpenTo, does: string, audited = false): Operation =>
  audited ? { needs, does, audited } : { needs, does };

/** Returns an operation that asks one of several privileges on a resource. */
export const on = (
  type: ResourceAttributes['type'],
  needs: Privilege[],
  does: string,
  audited = false,
): Operation => ({ needs, on: type, does, ...(audited && { audited }) });

/** Returns an operation that callers of some patients may use, restricted to their rows. */
export const byRow = (one: Operation): Operation => ({ ...one, byRow: true });

/** Returns an operation on own resources that is answered to an administrator who looks as their user. */
export const shownInView = (one: Operation): Operation => ({ ...one, inView: true });
