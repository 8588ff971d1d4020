import { type TSchema, Type } from 'typebox';

/** Schemas that several domains share. */

/** Text of an answer, or of a form whose handler checks it. */
export const textOf = (description: string) => Type.String({ description });

/** Reference to an address of this service, from its root as `/v1/projects`: `http/public-references.ts` adds the path of the service. */
export const referenceOf = (description: string) => Type.String({ format: 'uri-reference', description });

/** Text that may be absent. */
export const optionalText = (description: string) => Type.Optional(textOf(description));

/** Whole number of an answer. */
export const countOf = (description: string) => Type.Integer({ description });

/** Whole number of a request without a closer bound: no larger one is exact. */
export const wholeNumber = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });

/** Id that a request names: any short string; unknown ids are not found. */
export const idOf = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

/** Id of the project that a request is about. */
export const projectIdShape = idOf('Id of the project');

/** Free text about a resource, for people. */
export const descriptionShape = Type.Optional(
  Type.String({ maxLength: 4000, description: 'Free text for people' }),
);

/** Reference by id and name to a group. */
export const namedGroupShape = Type.Object({
  id: textOf('Id of the group'),
  name: textOf('Name of the group'),
});

/** Wait of work for a place. */
export function waitingShape<S extends TSchema>(since: S) {
  return Type.Optional(
    Type.Object(
      { position: countOf('Place in the order in which waiting work would start, from 1'), since },
      { description: 'Only while it waits for others' },
    ),
  );
}

/** Error that a record keeps of work in the background. */
export const failureFields = {
  code: textOf('Code of the failure, for programs'),
  message: textOf('Reason in one sentence, with the remedy where there is one'),
};

/** Organization and type of a GA4GH service-info answer. */
export const serviceInfoFields = {
  id: textOf('Id of the service: its reversed host name and the kind of service'),
  name: textOf('Name of the service'),
  description: textOf('Purpose of the service'),
  version: textOf('Version of the software'),
  organization: Type.Object(
    { name: textOf('Name of the organization'), url: textOf('Address of the service') },
    { description: 'Organization that runs the service' },
  ),
  type: Type.Object(
    {
      group: textOf('Namespace of the standard: `org.ga4gh`'),
      artifact: textOf('Name of the standard'),
      version: textOf('Version of the standard'),
    },
    { description: 'Standard that the service implements' },
  ),
};

/** Id in a path: any short string; unknown ids are not found. */
export const idParam = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) });

/**
 * String checked by a function that returns an error message, reported with the other errors of the body
 * (`http/contract/validation.ts`). The API document has only `description`.
 */
export function textShape(options: {
  minLength?: number;
  maxLength: number;
  description?: string;
  faultIn: (text: string) => string | undefined;
}) {
  return Type.String(options);
}

/** Display name: not blank, no control characters, at most 255. */
export function nameShape(description: string) {
  return Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]+$',
    description: `${description}; not blank, without control characters`,
  });
}

export const timestampShape = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, milliseconds',
});

/** Time of a pending deletion. */
export const pendingDeletionShape = Type.Optional(
  Type.String({ format: 'date-time', description: 'Time of its deletion; absent unless one is pending' }),
);

/** Flag of a deletion that skips its grace period. */
export const forceShape = Type.Optional(
  Type.Boolean({ description: '`true`: removed at once, also what is pending. Absent or `false`: pending' }),
);

/** Body fields that clear a pending deletion. */
export const deletionDateShape = Type.Optional(
  Type.Union([Type.String(), Type.Null()], { description: '"" or null cancels a pending deletion' }),
);

/** Prefix of FHIR ids: the characters of ids (R4 §2.24.0.1), and `_` and `:` of real servers. */
export const idPrefixShape = (description: string) =>
  Type.String({ maxLength: 64, pattern: '^[\\w.:-]*$', description });
