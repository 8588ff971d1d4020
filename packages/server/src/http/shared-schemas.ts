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
    const parts = Object.entries('content' in value ? undescribed(value) : value);
    const copy = Object.fromEntries(parts.map(([name, part]) => [name, share(part)]));
    // A field may have the name `title` as well: its schema is no text.
    const { title, ...schema } = copy;
    if (typeof title !== 'string') return copy;
    keep(schemas, title, schema);
    return { $ref: `#/components/schemas/${title}` };
  };
  const paths = share(document.paths);
  const named = Object.fromEntries([...schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  return { ...document, paths, components: { ...document.components, schemas: named } };
}

/** The framework describes the schema of an answer by what the answer is described by: that is said once. */
function undescribed({ content, ...answer }: { content?: unknown; description?: unknown }): object {
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
