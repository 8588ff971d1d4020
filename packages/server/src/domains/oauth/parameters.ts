import { type TObject, Type } from 'typebox';

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
  const shape = (names: readonly string[], one: () => ReturnType<typeof Type.Unknown | typeof Type.String>) =>
    Object.fromEntries(names.map((name) => [name, one()]));
  const orNone = { unknown: () => Type.Optional(Type.Unknown()), text: () => Type.Optional(Type.String()) };
  return {
    accepted: Type.Object(shape([...required, ...optional], orNone.unknown)),
    described: Type.Object({ ...shape(required, () => Type.String()), ...shape(optional, orNone.text) }),
  };
}
