export { Evaluation } from './evaluation.ts';
export { evaluationRoutes } from './evaluation-routes.ts';
export {
  createDefaultPolicies,
  insertPolicy,
  mergedPolicy,
  type NamedPolicy,
  namedPolicies,
  policyRemovers,
} from './policies.ts';
export { Previews } from './preview.ts';
export { policyRoutes } from './routes.ts';
export { StoredPolicies } from './stored-policies.ts';
export { findSubject, pageOfUsers } from './subjects.ts';
