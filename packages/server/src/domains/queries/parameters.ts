import {
  bindParameters,
  type Parameter,
  parameterFault,
  parameterNames,
  parameterTypes,
} from '@ploidy/formats/statement-text';
import { Type } from 'typebox';
import { invalidInput } from '../../base/problem.ts';

/** Maximum number of parameters of a statement, and length of a value. */
const parametersMax = 100;
const valueLengthMax = 10_000;
/** Longer statements are refused by the engine (docs/api/queries.md). */
const statementLengthMax = 65_536;

/** Values of the parameters of a request. */
export const parametersShape = Type.Optional(
  Type.Array(
    Type.Object(
      {
        name: Type.String({
          pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
          description: 'Without its dollar sign',
        }),
        type: Type.Unsafe<Parameter['type']>({
          type: 'string',
          enum: [...parameterTypes],
          description: 'Type of the value: `date` is YYYY-MM-DD',
        }),
        value: Type.String({ maxLength: valueLengthMax, description: 'As it is typed: `0.5`, `true`' }),
      },
      { additionalProperties: false, title: 'QueryParameter' },
    ),
    {
      maxItems: parametersMax,
      description: 'Values for words such as `$gene`: each is a value, never a part of the statement',
    },
  ),
);

/** Puts the values of a request into its statement. Problem 400 for a name without a value, a value without its name, a fault. */
export function statementOf({
  query,
  parameters,
}: {
  query: string;
  parameters?: Parameter[] | undefined;
}): string {
  if (parameters === undefined || query.length > statementLengthMax) return query;
  const wanted = parameterNames(query);
  const given = parameters.map(({ name }) => name);
  const missing = wanted.filter((name) => !given.includes(name)).map((name) => `has no value for $${name}`);
  const faults = parameters.map((one, at) => {
    if (given.indexOf(one.name) < at) return `has two values for $${one.name}`;
    if (!wanted.includes(one.name)) return `has a value for $${one.name}, which the statement does not name`;
    const fault = parameterFault(one);
    return fault && `has a value of $${one.name} that ${fault}`;
  });
  const details = [...missing, ...faults].filter((fault) => fault !== undefined);
  if (details.length > 0)
    throw invalidInput(details.map((message) => ({ path: 'body/parameters', message })));
  return bindParameters(query, parameters);
}
