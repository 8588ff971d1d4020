import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';
import { invalidInput, type ProblemDetail } from '../problem.ts';
import { detailsOf } from './mistakes.ts';
import { mayBeEmpty, withoutNulls } from './not-sent.ts';
import { addMistakesInTexts } from './texts.ts';

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

for (const ajv of [bodies, texts]) ajv.addKeyword({ keyword: 'mistakeIn', validate: lookInto });

/** The keyword `mistakeIn`: what a pattern cannot tell of a text (`textShape`), among all other mistakes. */
function lookInto(mistakeIn: (text: string) => string | undefined, value: unknown): boolean {
  const message = typeof value === 'string' ? mistakeIn(value) : undefined;
  lookInto.errors = message === undefined ? [] : [{ keyword: 'mistakeIn', message }];
  return message === undefined;
}
lookInto.errors = [] as Partial<ErrorObject>[];

/** Most mistakes that one answer lists. */
const mistakesMax = 100;

/**
 * Compiles the schemas of routes; finds all mistakes at once. What passes holds only the fields that the schema names: a
 * handler that spreads its input can never be told something by a caller that the schema does not know.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, method, httpPart }) => {
  // With the first request: a service that starts need not compile all of its hundreds of schemas.
  let validate: ValidateFunction | undefined;
  const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
  const spelling = spellings.get(httpPart ?? '');
  const numbers = spelling ? numbersOf(schema) : [];
  const refused = (details: ProblemDetail[]) => ({ error: invalidInput(details) });
  return (sent: unknown) => {
    if (httpPart === 'body' && isNothing(sent) && !mayBeEmpty(schema))
      return refused([{ path: 'body', message: 'is missing' }]);
    const value = httpPart === 'body' ? saidIn(sent, schema, method) : sent;
    validate ??= (httpPart === 'body' ? bodies : texts).compile(schema);
    const misspelled = numbers.filter((name) => {
      const text: unknown = Reflect.get(Object(value), name);
      return text !== undefined && !spelling?.test(String(text));
    });
    const details = validate(value) ? [] : detailsOf(validate.errors ?? [], part, mistakesMax);
    if (details.length === 0)
      details.push(
        ...misspelled.map((name) => ({ path: `${part}/${name}`, message: 'must be a whole number' })),
      );
    const known = onlyNamed(schema, value);
    addMistakesInTexts(details, known, part, mistakesMax);
    return details.length > 0 ? refused(details) : { value: known };
  };
};

/** The framework hands `null` on where there is no body. */
const isNothing = (sent: unknown): boolean => sent === undefined || sent === null;

/** In a change `null` may be meant to clear something: there it is what the schema makes of it. */
function saidIn(sent: unknown, schema: object, method: string): unknown {
  if (isNothing(sent)) return {};
  return method === 'POST' ? withoutNulls(schema, sent) : sent;
}

/** How a number is written; JavaScript reads `1e3`, `0x1` and blanks too. In a path `01` names nothing: one address has one spelling. */
const spellings: ReadonlyMap<string, RegExp> = new Map([
  ['params', /^(?:0|-?[1-9]\d*)$/],
  ['querystring', /^-?\d+$/],
]);

function numbersOf(schema: object): string[] {
  const properties = Object.entries(Object(Reflect.get(schema, 'properties')));
  return properties.filter(([, one]) => Reflect.get(Object(one), 'type') === 'integer').map(([name]) => name);
}

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
