export { createDefaultPolicies, insertPolicy, mergedPolicy, type NamedPolicy } from './policies.ts';
