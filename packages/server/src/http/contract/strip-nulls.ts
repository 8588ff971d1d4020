/** The keywords of a JSON schema that are read here. */
interface Schema {
  type?: unknown;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Reports whether the schema accepts an empty object, and so a request without a body. */
export function acceptsEmpty({ type, required = [] }: Schema): boolean {
  return type === 'object' && required.length === 0;
}

/** Drops `null` for optional fields that do not accept it: generated clients send it for fields that are not set. */
export function stripNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items && mayHoldObjects(items) ? value.map((one) => stripNulls(items, one)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties, required = [] } = objectSchemaOf(schema);
  if (!properties) return value;
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const isSent = ([name, part]: [string, unknown]): boolean => {
    const own = schemaOf(name);
    return part !== null || own === undefined || required.includes(name) || acceptsNull(own);
  };
  const sent = Object.entries(value).filter(isSent);
  return Object.fromEntries(sent.map(([name, part]) => [name, stripNulls(schemaOf(name) ?? {}, part)]));
}

/** Returns the alternative of a union that is an object with fields. */
function objectSchemaOf(schema: Schema): Schema {
  return schema.anyOf?.find(({ properties }) => properties !== undefined) ?? schema;
}

/** Reports whether a list needs to be searched: long lists hold strings. */
function mayHoldObjects(items: Schema): boolean {
  return objectSchemaOf(items).properties !== undefined;
}

function acceptsNull(schema: Schema): boolean {
  const { type, anyOf, enum: values } = schema;
  if (anyOf) return anyOf.some(acceptsNull);
  if (values) return values.includes(null);
  if ('const' in schema) return schema.const === null;
  return type === undefined || [type].flat().includes('null');
}
