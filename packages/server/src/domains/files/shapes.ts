import { Type } from 'typebox';
import { countOf, projectIdShape, textOf, textShape, timestampShape } from '../../api/shapes.ts';
import { nameFault } from './file.ts';

export const filesTag = 'Files';

export const baseFields = {
  id: textOf('Id of the file'),
  name: Type.String({ description: 'Path inside the project' }),
  datasetId: Type.String({ description: 'Id of the project' }),
  contentType: textOf('Media type that the uploader named; default `application/octet-stream`'),
};

export const fileShape = Type.Object(
  { ...baseFields, size: countOf('Size in bytes'), lastModified: timestampShape },
  { title: 'StoredFile' },
);

/** Signed address to which the bytes of an upload go. */
export const uploadUrlShape = Type.String({
  format: 'uri',
  description: 'Address for the PUT of the bytes; needs no credentials, valid for a limited time',
});

/** Entry of one folder level; folders have only a name. */
export const entryShape = Type.Object({
  type: Type.Union([Type.Literal('FOLDER'), Type.Literal('FILE')], {
    description: 'A folder has only a name',
  }),
  ...Type.Partial(fileShape).properties,
  name: Type.String({ description: 'Path inside the project; ends with a slash for a folder' }),
});

export const partShape = Type.Object({
  number: countOf('Number of the part, from 1'),
  size: countOf('Size in bytes'),
  sha256: Type.String({ description: 'Hex' }),
});

const partsMax = 10_000;

export const partParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255 }),
  number: Type.Integer({ minimum: 1, maximum: partsMax }),
});

export const nameField = textShape({
  minLength: 1,
  maxLength: 1024,
  description: 'Path inside the project, such as a/b/c.txt',
  faultIn: (name) => nameFault(name),
});

/**
 * Media type of RFC 9110 §8.3.1. Each character matches in one way only, so matching is linear. ASCII only, so it can be sent
 * as a header.
 */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]";
const contentTypePattern = `^${token}{1,127}/${token}{1,127}( *; *${token}+=(${token}*|"[ !#-\\[\\]-~]*"))*$`;

export const newFileShape = Type.Object({
  id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
      description: 'A UUID of your choice; the id of a file in the project overwrites that file',
    }),
  ),
  name: nameField,
  datasetId: projectIdShape,
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
      description: 'Base64 MD5 of the whole file',
    }),
  ),
  size: Type.Optional(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Size of the file in bytes' }),
  ),
  ingest: Type.Optional(Type.Boolean({ description: 'Start an ingestion when the upload is complete' })),
});
