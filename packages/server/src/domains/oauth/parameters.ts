import { type TObject, type TSchema, Type } from '../../schema.ts';

/** The parameters of an endpoint, by name. */
export interface ParameterNames {
  required: readonly string[];
  optional: readonly string[];
}

/**
 * Shapes of parameters. What is missing, or given twice and so a list, is refused by the handler in the words of OAuth: all is
 * `accepted`. `described` is what clients should send.
 */
export function parameterShapes({ required, optional }: ParameterNames): {
  accepted: TObject;
  described: TObject;
} {
  const each = (names: readonly string[], shape: TSchema) =>
    Object.fromEntries(names.map((name) => [name, shape]));
  const text = Type.String();
  return {
    accepted: Type.Object(each([...required, ...optional], Type.Optional(Type.Unknown()))),
    described: Type.Object({ ...each(required, text), ...each(optional, Type.Optional(text)) }),
  };
}
