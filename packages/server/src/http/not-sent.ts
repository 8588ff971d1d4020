/** A JSON schema, as far as it is looked at here. */
interface Schema {
  type?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Whether an object without a field fits: a request without a body says the same. */
export function mayBeEmpty({ type, required = [] }: Schema): boolean {
  return type === 'object' && required.length === 0;
}

/**
 * A value without the fields that are `null` where they may be left out and `null` is no value of theirs: clients that were generated
 * send so what is not set. What no schema describes stays as it is.
 */
export function withoutNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && mayHoldObjects(items) ? value.map((one) => withoutNulls(items, one)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties, required = [] } = shapeOf(schema);
  if (!properties) return value;
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const isSent = ([name, part]: [string, unknown]): boolean => {
    const own = schemaOf(name);
    return part !== null || own === undefined || required.includes(name) || takesNull(own);
  };
  const sent = Object.entries(value).filter(isSent);
  return Object.fromEntries(sent.map(([name, part]) => [name, withoutNulls(schemaOf(name) ?? {}, part)]));
}

/** Of choices the one that is an object with fields. */
function shapeOf(schema: Schema): Schema {
  return schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
}

/** Long lists are those of texts: they need not be looked through. */
function mayHoldObjects(items: Schema): boolean {
  return shapeOf(items).properties !== undefined;
}

function takesNull(schema: Schema): boolean {
  const { type, anyOf, enum: values } = schema;
  if (anyOf) return anyOf.some(takesNull);
  if (values) return values.includes(null);
  if ('const' in schema) return schema.const === null;
  return type === undefined || [type].flat().includes('null');
}
