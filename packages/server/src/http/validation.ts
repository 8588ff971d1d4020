import { Ajv, type Options, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput, type ProblemDetail } from '../problem.ts';
import { detailsOf } from './mistakes.ts';
import { mistakeInTexts } from './texts.ts';

const options: Options = {
  allErrors: true,
  verbose: true,
  useDefaults: true,
  removeAdditional: false,
  strict: false,
  // The schemas are ours, and `route-schema.test.ts` holds them to the meta-schema: to compile that takes longer than a whole request.
  meta: false,
  validateSchema: false,
};
/** JSON keeps its types: a number where a text belongs is a mistake (docs/clarifications.md, "Order of checks"). */
const bodies = new Ajv({ ...options, coerceTypes: false });
/** Queries and paths are texts, so numbers and booleans are read from them. */
const texts = new Ajv({ ...options, coerceTypes: true });

/** Most mistakes that one answer lists. */
const mistakesMax = 100;

/**
 * Compiles the schemas of routes; finds all mistakes at once. What passes holds only the fields that the schema names: a
 * handler that spreads its input can never be told something by a caller that the schema does not know.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  // With the first request: a service that starts need not compile all of its hundreds of schemas.
  let validate: ValidateFunction | undefined;
  const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
  const refused = (details: ProblemDetail[]) => ({ error: invalidInput(details) });
  return (value: unknown) => {
    validate ??= (httpPart === 'body' ? bodies : texts).compile(schema);
    if (!validate(value)) return refused(detailsOf(validate.errors ?? [], part, mistakesMax));
    const known = onlyNamed(schema, value);
    const mistake = mistakeInTexts(known);
    if (mistake) return refused([{ ...mistake, path: `${part}${mistake.path}` }]);
    return { value: known };
  };
};

/** The fields of an object that its schema names; anything else as it is. */
function onlyNamed(schema: object, value: unknown): unknown {
  const properties: unknown = Reflect.get(schema, 'properties');
  const open = Reflect.get(schema, 'additionalProperties') !== undefined;
  if (open || typeof properties !== 'object' || properties === null) return value;
  if (typeof value !== 'object' || value === null) return value;
  const named = (name: string): boolean => Object.hasOwn(properties, name);
  if (Object.keys(value).every(named)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => named(name)));
}
