/** Texts of statements: an editor splits, lays out and binds them as the service does. */
export { formatted } from './formatted.ts';
export {
  bindParameters,
  literal,
  type Parameter,
  parameterFault,
  parameterNames,
  parameterTypes,
} from './parameters.ts';
export { type StatementPart, statementAt, statementsIn } from './statements.ts';
export { type Edit, type Token, tokensOf } from './tokens.ts';
