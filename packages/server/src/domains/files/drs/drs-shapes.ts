import { Type } from 'typebox';
import { Answer } from '../../../api/route.ts';
import { countOf, textOf, timestampShape } from '../../../api/shapes.ts';
import type { Problem } from '../../../base/problem.ts';

const tag = 'Files: DRS';
/** Root of the data repository. */
export const drsRoot = '/ga4gh/drs/v1';
const errorShape = Type.Object(
  { msg: Type.String({ description: 'Reason and remedy' }), status_code: countOf('Status of the response') },
  { title: 'DrsError' },
);
const failure = (description: string) => ({ schema: errorShape, description });
/** Errors of every route. */
export const drsErrors = {
  400: failure('The input is not valid'),
  401: failure('Without a valid key or token'),
  403: failure('The caller may not read the object'),
  404: failure('There is no such object, or it has other bytes now'),
  429: failure('Too many requests'),
  503: failure('A store is unavailable'),
};

/** Converts a problem to the error format of DRS. */
function drsProblem({ status, code, message }: Problem, requestId: string): Answer {
  const body = JSON.stringify({ msg: message, status_code: status, code, requestId });
  return new Answer(status, body, { 'content-type': 'application/json; charset=utf-8' });
}

/** Object of the standard. */
export const objectShape = Type.Object(
  {
    id: Type.String({ description: 'Id of the file, a point, and the SHA-256 of its bytes' }),
    name: textOf('Last part of the name of the file'),
    self_uri: Type.String({ description: '`drs://host/id`' }),
    size: countOf('Size in bytes'),
    created_time: timestampShape,
    updated_time: timestampShape,
    version: textOf('SHA-256 of the bytes, hex'),
    mime_type: textOf('Media type of the file'),
    checksums: Type.Array(
      Type.Object({ checksum: textOf('Digest in hex'), type: textOf('Kind of the digest: `sha-256`') }),
      { description: 'Digests of the bytes' },
    ),
    access_methods: Type.Array(
      Type.Object({
        type: textOf('Protocol of the address: `https`'),
        access_id: textOf('Id for the request of the address'),
      }),
      { description: 'Ways to the bytes' },
    ),
  },
  { title: 'DrsObject' },
);

/** Address of the bytes of an object. */
export const accessShape = Type.Object(
  { url: Type.String({ format: 'uri', description: 'Address of the bytes; needs no credentials' }) },
  { title: 'DrsAccessUrl' },
);

/** Objects of a bulk request at most. */
export const objectsMax = 100;

/** Declares what is equal for all routes. */
export const described = { tag, problemPage: drsProblem } as const;
