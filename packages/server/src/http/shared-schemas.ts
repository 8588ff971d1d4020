interface Document {
  paths?: object;
  components?: { schemas?: object };
}

/**
 * The document with every schema that has a title once, under `components`, and a reference wherever it was: programs that are generated
 * from it get one type for a thing, under its name. What a schema leaves to a handler is described in its `x-described`, which takes its
 * place here.
 */
export function withSharedSchemas<D extends Document>(document: D): D {
  const schemas = new Map<string, object>();
  const share = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(share);
    if (typeof value !== 'object' || value === null) return value;
    if ('x-described' in value) return share(value['x-described']);
    const copy = mapped(value, share);
    // A field may have the name `title` as well: its schema is no text.
    const { title, ...schema } = copy;
    if (typeof title !== 'string') return copy;
    keep(schemas, title, schema);
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = share(mapped(document.paths, (methods) => mapped(methods, withoutRepetition)));
  const named = Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { ...document, paths, components: { ...document.components, schemas: named } };
}

/** An object with something else for each of its parts. */
function mapped(value: unknown, change: (part: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(Object(value)).map(([name, part]) => [name, change(part, name)]));
}

function withoutRepetition(operation: unknown): object {
  return mapped(operation, (part, name) => {
    if (name === 'responses') return mapped(part, undescribed);
    return name === 'requestBody' ? undescribed(part) : part;
  });
}

/** The framework describes the schema of a body by what the body is described by: that is said once. */
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

function keep(schemas: Map<string, object>, title: string, schema: object): void {
  const known = schemas.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two schemas have the title ${title}.`);
  schemas.set(title, schema);
}
