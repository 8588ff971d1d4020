export { createDefaultPolicies, insertPolicy, mergedPolicy, type NamedPolicy } from './policies.ts';
export { policyRemovers } from './removal.ts';
