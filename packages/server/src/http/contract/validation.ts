import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import buildSerializer from 'fast-json-stringify';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { invalidInput, type ProblemDetail } from '../../base/problem.ts';
import { referencesIn } from '../public-references.ts';
import { acceptsEmpty, stripNulls } from './strip-nulls.ts';
import { addStringErrors } from './validate-strings.ts';
import { detailsOf } from './validation-messages.ts';

const options: Options = {
  allErrors: true,
  verbose: true,
  useDefaults: true,
  removeAdditional: false,
  strict: false,
  // `route-schema.test.ts` validates our schemas: compiling the meta-schema takes longer than a whole request.
  meta: false,
  validateSchema: false,
};
/** JSON is not coerced: a number in place of a string is an error (docs/api/requests.md, "Bodies"). */
const bodies = new Ajv({ ...options, coerceTypes: false });
/** Queries and paths are strings, so numbers and booleans are parsed from them. */
const strings = new Ajv({ ...options, coerceTypes: true });

for (const ajv of [bodies, strings]) ajv.addKeyword({ keyword: 'faultIn', validate: validateFaultIn });

/** Validates the keyword `faultIn`: a check of a string that no pattern can express (`textShape`). */
function validateFaultIn(faultIn: (text: string) => string | undefined, value: unknown): boolean {
  const message = typeof value === 'string' ? faultIn(value) : undefined;
  validateFaultIn.errors = message === undefined ? [] : [{ keyword: 'faultIn', message }];
  return message === undefined;
}
validateFaultIn.errors = [] as Partial<ErrorObject>[];

/** Maximum errors in a response. */
const errorsMax = 100;

/**
 * Compiles the schemas of routes; reports all errors at once. Accepted input holds only the fields that the schema names, so that
 * a handler may spread it.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, method, httpPart }) => {
  // Compiled with the first request: hundreds of schemas would slow down every start.
  let validate: ValidateFunction | undefined;
  const part = httpPart === 'querystring' ? 'query' : (httpPart ?? 'body');
  const spelling = spellings.get(httpPart ?? '');
  const numbers = spelling ? numbersOf(schema) : [];
  const choices = httpPart === 'querystring' ? choicesOf(schema) : [];
  const refused = (details: ProblemDetail[]) => ({ error: invalidInput(details) });
  return (sent: unknown) => {
    if (httpPart === 'body' && isMissing(sent) && !acceptsEmpty(schema))
      return refused([{ path: 'body', message: 'is missing' }]);
    const value = httpPart === 'body' ? normalizedBody(sent, schema, method) : withoutEmpty(sent, choices);
    validate ??= (httpPart === 'body' ? bodies : strings).compile(schema);
    const misspelled = numbers.filter((name) => {
      const text: unknown = Reflect.get(Object(value), name);
      return text !== undefined && !spelling?.test(String(text));
    });
    const details = validate(value) ? [] : detailsOf(validate.errors ?? [], part, errorsMax);
    if (details.length === 0)
      details.push(
        ...misspelled.map((name) => ({ path: `${part}/${name}`, message: 'must be a whole number' })),
      );
    const known = pickKnown(schema, value);
    addStringErrors(details, known, part, errorsMax);
    return details.length > 0 ? refused(details) : { value: known };
  };
};

/**
 * Returns a compiler of serializers, for a service with this path. Each is compiled with its first use: a quarter of the processor
 * time of a start would go into all of them.
 */
export function serializerCompiler(path: string): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    let serialize: ((value: unknown) => string) | undefined;
    const refer = referencesIn(schema, path);
    return (value) => {
      serialize ??= buildSerializer(schema);
      return serialize(refer ? refer(value) : value);
    };
  };
}

/** Reports whether there is no body, for which the framework passes `null`. */
const isMissing = (sent: unknown): boolean => sent === undefined || sent === null;

/** Drops unset fields, except in a change, where `null` may clear a field. */
function normalizedBody(sent: unknown, schema: object, method: string): unknown {
  if (isMissing(sent)) return {};
  return method === 'POST' ? stripNulls(schema, sent) : sent;
}

/** Accepted spellings of numbers: JavaScript would also read `1e3`, `0x1` and blanks. A path has one spelling, so `01` is refused. */
const spellings: ReadonlyMap<string, RegExp> = new Map([
  ['params', /^(?:0|-?[1-9]\d*)$/],
  ['querystring', /^-?\d+$/],
]);

function numbersOf(schema: object): string[] {
  const properties = Object.entries(Object(Reflect.get(schema, 'properties')));
  return properties.filter(([, one]) => Reflect.get(Object(one), 'type') === 'integer').map(([name]) => name);
}

/** Lists the parameters that are a boolean or a word of a list without the empty one. */
function choicesOf(schema: object): string[] {
  const properties = Object.entries(Object(Reflect.get(schema, 'properties')));
  const isChoice = (one: object): boolean => {
    const words: object[] | undefined = Reflect.get(one, 'anyOf');
    return (
      Reflect.get(one, 'type') === 'boolean' || words?.every((word) => !!Reflect.get(word, 'const')) === true
    );
  };
  return properties.filter(([, one]) => isChoice(Object(one))).map(([name]) => name);
}

/** Drops empty parameters that no choice permits: forms and clients send `orderBy=` for an absent one. */
function withoutEmpty(sent: unknown, choices: readonly string[]): unknown {
  if (!choices.some((name) => Reflect.get(Object(sent), name) === '')) return sent;
  return Object.fromEntries(
    Object.entries(Object(sent)).filter(([name, value]) => value !== '' || !choices.includes(name)),
  );
}

/** Returns an object with only the fields that its schema names. */
function pickKnown(schema: object, value: unknown): unknown {
  const properties: unknown = Reflect.get(schema, 'properties');
  const open = Reflect.get(schema, 'additionalProperties') !== undefined;
  if (open || typeof properties !== 'object' || properties === null) return value;
  if (typeof value !== 'object' || value === null) return value;
  const named = (name: string): boolean => Object.hasOwn(properties, name);
  if (Object.keys(value).every(named)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => named(name)));
}
