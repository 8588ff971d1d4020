import { type Policy, validatePolicy } from '@ploidy/policy';
import { isId } from '../../ids.ts';
import type { ProblemDetail } from '../../problem.ts';
import { Type } from '../../schema.ts';
import { nameShape } from '../../shapes.ts';
import { policyDescription } from './description.ts';

/**
 * A policy document. Its inside is left to the engine's validation, which is stricter than a schema and names every mistake;
 * what the schema knew it would take away before.
 */
export const policyShape = Type.Unsafe<Policy>({
  'x-described': policyDescription,
  type: 'object',
  required: ['rules'],
  additionalProperties: true,
  properties: {
    rules: {
      type: 'object',
      additionalProperties: true,
      description: 'Operation → `true`, or a list of rules one of which must hold',
    },
  },
});

/** What goes out: as it is stored. */
export const namedPolicyShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    policy: policyShape,
  },
  { title: 'NamedPolicy' },
);

export const policyNameShape = nameShape(
  'Unique in the account, without regard to case; nothing that looks like an id',
);

/** The mistakes of a policy that somebody wants to save, with their places in the body. */
export function mistakesIn(
  path: string,
  input: { name?: string | undefined; policy?: unknown },
): ProblemDetail[] {
  const mistakes: ProblemDetail[] = [];
  if (input.name !== undefined && isId(input.name.trim().toLowerCase())) {
    mistakes.push({ path: `${path}/name`, message: 'looks like an id; policies are found by both' });
  }
  if (input.policy !== undefined) {
    for (const mistake of validatePolicy(input.policy)) {
      mistakes.push({ path: `${path}/policy.${mistake.path}`, message: mistake.message });
    }
  }
  return mistakes;
}
