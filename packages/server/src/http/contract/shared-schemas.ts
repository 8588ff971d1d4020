interface Document {
  paths?: object;
  components?: { schemas?: object; responses?: object };
}

/**
 * Moves every schema with a title to `components` and puts references in its place. Generated clients then have one named type.
 * A schema that a handler validates itself is replaced by its `x-described`.
 */
export function withSharedSchemas<D extends Document>(document: D): D {
  const schemas = new Map<string, object>();
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share);
    if (typeof value !== 'object' || value === null) return value;
    if ('x-described' in value) return share(value['x-described']);
    // An example beside a schema is data: a title in it is no name of a schema.
    const isExample = (name: string): boolean => name === 'example' && 'schema' in value;
    const copy = mergedEnums(mapped(value, (part, name) => (isExample(name) ? part : share(part))));
    // A field may be called `title` as well: its value is a schema, not a string.
    const { title, ...schema } = copy;
    if (typeof title !== 'string') return copy;
    keep(schemas, title, schema);
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = share(mapped(document.paths, (methods) => mapped(methods, withoutRepetition)));
  const responses = document.components?.responses && share(document.components.responses);
  const named = Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  return {
    ...document,
    paths,
    components: { ...document.components, ...(responses !== undefined && { responses }), schemas: named },
  };
}

/** Joins alternatives that are texts each into one enumeration: generators make one type of it. */
function mergedEnums({ anyOf, ...schema }: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const isText = (one: object) =>
    Object.keys(one).join() === 'type,enum' && Reflect.get(one, 'type') === 'string';
  if (!anyOf.every(isText)) return { ...schema, anyOf };
  return { ...schema, type: 'string', enum: anyOf.flatMap((one) => one.enum) };
}

/** Maps the values of an object. */
function mapped(value: unknown, change: (part: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(value)).map(([name, part]) => [name, change(part, name)]));
}

function withoutRepetition(operation: unknown): object {
  return mapped(operation, (part, name) => {
    if (name === 'responses') return mapped(part, undescribed);
    return name === 'requestBody' ? undescribed(part) : part;
  });
}

/** Removes the description of a schema that repeats that of its body. */
function undescribed(described: unknown): object {
  const { content, ...answer } = Object(described);
  if (content === undefined) return answer;
  const contents = Object.entries<{ schema?: object }>(Object(content)).map(
    ([type, { schema, ...media }]) => {
      const { description, ...rest } = Object(schema);
      const kept = description === answer.description ? rest : schema;
      return [type, schema === undefined ? media : { ...media, schema: kept }];
    },
  );
  return { ...answer, content: Object.fromEntries(contents) };
}

/** Keeps a schema. Its use as a whole body has no description of its own. */
function keep(schemas: Map<string, object>, title: string, schema: { description?: unknown }): void {
  const known = schemas.get(title);
  if (known !== undefined && undescribedText(known) !== undescribedText(schema))
    throw new Error(`Two schemas have the title ${title}.`);
  if (known === undefined || schema.description !== undefined) schemas.set(title, schema);
}

function undescribedText({ description: _, ...schema }: { description?: unknown }): string {
  return JSON.stringify(schema);
}
