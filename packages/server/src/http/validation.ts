import { Ajv, type Options } from 'ajv';
import type { FastifySchemaCompiler } from 'fastify';

const options: Options = { allErrors: true, useDefaults: true, removeAdditional: false, strict: false };
/** JSON keeps its types: a number where a text belongs is a mistake (docs/clarifications.md, "Order of checks"). */
const bodies = new Ajv({ ...options, coerceTypes: false });
/** Queries, paths and headers are texts, so numbers and booleans are read from them. */
const texts = new Ajv({ ...options, coerceTypes: true });

/** Most mistakes that one answer lists. */
const mistakesMax = 100;

/** Compiles the schemas of routes; finds all mistakes at once. */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const validate = (httpPart === 'body' ? bodies : texts).compile(schema);
  return (value: unknown) => {
    if (validate(value)) return { value };
    const errors = (validate.errors ?? []).slice(0, mistakesMax);
    return {
      error: Object.assign(new Error('invalid'), { validation: errors, validationContext: httpPart }),
    };
  };
};
