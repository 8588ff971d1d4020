import type { ErrorEntry } from './error-entry.ts';

/** Errors of the request itself. */
export const requestErrors = {
  ACCOUNT_HEADER_REQUIRED: [400, 'The account is not named', 'Send `Service-Account`'],
  INVALID_INPUT: [400, 'A field, parameter or header is wrong', '`details` names each; mend them'],
  INVALID_JSON: [400, 'The body is no JSON', 'Check quotes, commas and encoding (UTF-8)'],
  INVALID_LENGTH: [400, 'The body is shorter or longer than `Content-Length`', 'Send the size of the body'],
  INVALID_QUERY: [
    400,
    'The SQL statement is refused; the message has line and column',
    'docs/dialect.md has what is accepted',
  ],
  INVALID_RANGE: [400, 'The region or range is wrong', 'Start before end, within the sequence'],
  INVALID_REQUEST: [400, 'The HTTP request is wrong in another way', 'The message names the part'],
  INVALID_URL: [400, 'The address is not encoded correctly', 'Encode each part of the path'],
  MALFORMED: [
    400,
    'These bytes are no HTTP request',
    'Check the client or proxy; `https` to an `http` port looks so',
  ],
  INCOMPLETE: [
    400,
    'The connection ended before the body was complete',
    'Send it again; large files in parts',
  ],
  SIZE_MISMATCH: [400, 'A part has another size than announced', 'Send the part again'],
  DIGEST_MISMATCH: [400, 'The bytes do not have the digest of `Content-MD5`', 'Send them again'],
  UNSUPPORTED_FORMAT: [
    400,
    'htsget has no such format of this file',
    'Ask for BAM, CRAM, VCF or BCF as stored',
  ],
  METHOD_NOT_ALLOWED: [405, 'The address has no such method', '`Allow` lists its methods'],
  NOT_ACCEPTABLE: [406, 'There is no answer in this format', 'Ask for `application/fhir+json`'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive', 'Send it again, or in parts'],
  LENGTH_REQUIRED: [411, 'The size is not announced', 'Send `Content-Length`'],
  PRECONDITION_FAILED: [412, 'The resource changed since it was read', 'Read it again, then change it'],
  TOO_LARGE: [
    413,
    'The body or file is above the limit that the message names',
    'Send less, or a file in parts',
  ],
  UNSUPPORTED_MEDIA_TYPE: [
    415,
    'The body has another type than the operation takes',
    'Send the `Content-Type` that the message names',
  ],
  UNSUPPORTED_IMAGE: [415, 'The picture is of no accepted type', 'Send PNG, JPEG, WebP or GIF'],
  RANGE_NOT_SATISFIABLE: [416, '`Range` is outside of the file', '`Content-Range` has its size'],
  EXPECTATION_FAILED: [417, '`Expect` has another value than `100-continue`', 'Leave the header out'],
  IDEMPOTENCY_KEY_REUSED: [
    422,
    'This `Idempotency-Key` was sent with another body',
    'Use a new key for each request',
  ],
  IDEMPOTENCY_KEY_BUSY: [409, 'The first request with this key is not finished', 'Wait, then repeat'],
  HEADERS_TOO_LARGE: [431, 'Address and headers are above 16 KiB', 'Move long filters into the body'],
} as const satisfies Record<string, ErrorEntry>;
