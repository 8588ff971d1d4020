import type { Compilable } from 'kysely';
import type { Reader } from './records.ts';

/**
 * Prepares a read that is built and compiled once, at its first use, and then only bound: for reads of nearly every request.
 * `build` must make the same query for all values, which it only passes on to Kysely.
 */
export function prepared<Values extends unknown[], Row>(
  read: Reader,
  build: (read: Reader, ...values: Values) => Compilable<Row>,
): (...values: Values) => Promise<Row[]> {
  const compileOnce = lazily(() => {
    const places = Array.from({ length: build.length - 1 }, () => ({}));
    const query = build(read, ...(places as Values)).compile();
    // Source of each parameter: a value, or (-1) a constant of the query.
    return { query, sources: query.parameters.map((parameter) => places.indexOf(parameter as object)) };
  });
  return async (...values) => {
    const { query, sources } = compileOnce();
    const parameters = sources.map((source, at) => (source < 0 ? query.parameters[at] : values[source]));
    return (await read.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
