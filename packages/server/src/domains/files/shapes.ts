import { Type } from '../../schema.ts';
import { textShape, timestampShape } from '../../shapes.ts';
import { nameMistake } from './file.ts';

/** Shapes of the routes of files. */

export const filesTag = 'Files';

export const baseFields = {
  id: Type.String(),
  name: Type.String({ description: 'Path inside the project' }),
  datasetId: Type.String({ description: 'Id of the project' }),
  contentType: Type.String(),
};

export const fileShape = Type.Object({ ...baseFields, size: Type.Integer(), lastModified: timestampShape });

/** One level of a project: folders have a name alone. */
export const entryShape = Type.Object({
  type: Type.Union([Type.Literal('FOLDER'), Type.Literal('FILE')]),
  ...Type.Partial(fileShape).properties,
  name: Type.String({ description: 'Path inside the project; of a folder with a slash at its end' }),
});

export const partShape = Type.Object({
  number: Type.Integer(),
  size: Type.Integer(),
  sha256: Type.String({ description: 'Hex' }),
});

/** Most parts of an upload. */
const partsMax = 10_000;

export const partParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  number: Type.Integer({ minimum: 1, maximum: partsMax }),
});

export const nameField = textShape({
  minLength: 1,
  maxLength: 1024,
  description: 'Path inside the project, such as a/b/c.txt',
  mistakeIn: (name) => nameMistake(name),
});

/**
 * A media type as RFC 9110, section 8.3.1 writes it. Each character has one place in it, so that no text makes the matching
 * try many ways, and all are ASCII, so that it can be sent back as a header.
 */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]";
const contentTypePattern = `^${token}{1,127}/${token}{1,127}( *; *${token}+=(${token}*|"[ !#-\\[\\]-~]*"))*$`;

export const newFileShape = Type.Object({
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: 'A UUID of your own; of a file that exists in the project: overwrite that file',
    }),
  ),
  name: nameField,
  datasetId: Type.String({ minLength: 1, maxLength: 255 }),
  contentType: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: contentTypePattern,
      description: 'A media type, such as text/csv; charset=utf-8',
    }),
  ),
  overwrite: Type.Optional(Type.Boolean({ description: 'Replace a file of the same name' })),
  contentMD5: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/]{22}==$',
      description: 'Base64 MD5 that the bytes of the whole file must have',
    }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Bytes that will come' }),
  ),
  ingest: Type.Optional(Type.Boolean({ description: 'Start an ingestion when the bytes are complete' })),
});
