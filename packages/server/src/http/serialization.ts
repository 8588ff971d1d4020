import build from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify';

/** Compiles what writes an answer with its first one: a service that starts need not compile all of its hundreds of schemas. */
export const compileSerializer: FastifySerializerCompiler<object> = ({ schema }) => {
  let write: ((value: unknown) => string) | undefined;
  return (value) => {
    write ??= build(schema);
    return write(value);
  };
};
