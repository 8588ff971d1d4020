import { type Policy, validatePolicy } from '@ploidy/policy';
import { Type } from 'typebox';
import { namedGroupShape, nameShape, textOf } from '../../../api/shapes.ts';
import { isId } from '../../../base/ids.ts';
import type { ProblemDetail } from '../../../base/problem.ts';
import { policyDescription } from './description.ts';

/**
 * Policy document. Its content is left to the engine's validation, which is stricter than a schema and names
 * every error; a schema would drop unknown fields before.
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

/** Policy in API form, as stored. */
export const namedPolicyShape = Type.Object(
  {
    id: textOf('Id of the policy'),
    name: textOf('Name, unique in the account'),
    policy: policyShape,
    groups: Type.Array(namedGroupShape, {
      description: 'Groups that the policy names by id',
    }),
  },
  { title: 'NamedPolicy' },
);

/** Doubt about a valid policy, with a proposal. */
export const warningFields = {
  code: textOf('Kind of the warning, for programs'),
  message: textOf('One sentence for people, with a proposal where there is one'),
};

/** Doubts about a valid policy. */
export const warningsShape = Type.Array(
  Type.Object({
    ...warningFields,
    path: textOf('Place in the policy, such as `rules.readData[0]["resource.dataset"]`'),
  }),
  { description: 'Parts that have no effect, or more than they seem to have' },
);

/** Policy as the answer to the change that stored it. */
export const storedPolicyShape = Type.Object(
  { ...namedPolicyShape.properties, warnings: warningsShape },
  { title: 'StoredPolicy' },
);

export const policyNameShape = nameShape(
  'Unique in the account, regardless of case; must not look like an id',
);

/** Lists the errors of a policy to store, with their paths in the body. */
export function faultsIn(
  path: string,
  input: { name?: string | undefined; policy?: unknown },
): ProblemDetail[] {
  const faults: ProblemDetail[] = [];
  if (input.name !== undefined && isId(input.name.trim().toLowerCase())) {
    faults.push({ path: `${path}/name`, message: 'looks like an id; policies are found by both' });
  }
  if (input.policy !== undefined) {
    for (const fault of validatePolicy(input.policy)) {
      faults.push({ path: `${path}/policy.${fault.path}`, message: fault.message });
    }
  }
  return faults;
}
