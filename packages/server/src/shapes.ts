import { Type } from './schema.ts';

/** Shapes that several domains use. */

/** An id in a path: anything short; what is no id of ours is simply not found. */
export const idParam = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) });

/**
 * A text of which a function tells more than a pattern could. It says what is wrong; with the other mistakes of the body that is told at once
 * (`http/validation.ts`). It is no part of the API document: `description` says what is wanted.
 */
export function textShape(options: {
  minLength?: number;
  maxLength: number;
  description?: string;
  mistakeIn: (text: string) => string | undefined;
}) {
  return Type.String(options);
}

/** A name for people: not blank, no control characters, at most 255. */
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

/** Whether a deletion skips its grace period. */
export const forceShape = Type.Optional(
  Type.Boolean({ description: '`true`: removed at once, also what is pending. Absent or `false`: pending' }),
);

/** Body fields that clear a pending deletion. */
export const deletionDateShape = Type.Optional(
  Type.Union([Type.String(), Type.Null()], { description: '"" or null cancels a pending deletion' }),
);
