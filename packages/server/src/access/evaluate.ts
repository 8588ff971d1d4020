import { type Json, mergePolicies, type Policy, reducePolicy } from '@ploidy/policy';

/** Whose rights are asked for in an account. */
export interface Subject {
  id: string;
  email: string;
  /** Ids of his groups in that account; those of other accounts count for nothing there. */
  groups: string[];
  /** What that account says of him; what others say counts for nothing there. */
  customAttributes: Record<string, Json>;
  /** Whether the account is his. */
  owner: boolean;
}

/** The owner always keeps these, so that an account cannot lock itself out. */
export const ownerPolicy: Policy = { rules: { accessAdmin: true, accountAdmin: true } };

/** What policies may ask of a user. */
export function attributesOfUser(subject: Omit<Subject, 'owner'>): { user: Record<string, unknown> } {
  const { id, email, groups, customAttributes } = subject;
  return { user: { id, email, groups, customAttributes } };
}

/** What the merged policies of an account leave for one of its members once everything about him is known. */
export function evaluatePolicy(merged: Policy, subject: Subject): Policy {
  const policy = subject.owner ? mergePolicies([merged, ownerPolicy]) : merged;
  return reducePolicy(policy, attributesOfUser(subject), ['user']);
}
