import { type Json, mergePolicies, type Policy, reducePolicy } from '@ploidy/policy';

/** User in one account, as policies see it. */
export interface Subject {
  id: string;
  email: string;
  /** Ids of the user's groups in that account only. */
  groups: string[];
  /** Attributes that the account assigned to the user. */
  customAttributes: Record<string, Json>;
  /** Reports whether the user owns the account. */
  owner: boolean;
}

/** Permanent rights of the owner, so that an account cannot lock itself out. */
export const ownerPolicy: Policy = { rules: { accessAdmin: true, accountAdmin: true } };

/** Returns the attributes of a user that policies may test. */
export function attributesOfUser(subject: Omit<Subject, 'owner'>): { user: Record<string, unknown> } {
  const { id, email, groups, customAttributes } = subject;
  return { user: { id, email, groups, customAttributes } };
}

/** Reduces the merged policies of an account with all attributes of one member. */
export function evaluatePolicy(merged: Policy, subject: Subject): Policy {
  const policy = subject.owner ? mergePolicies([merged, ownerPolicy]) : merged;
  return reducePolicy(policy, attributesOfUser(subject), ['user']);
}
