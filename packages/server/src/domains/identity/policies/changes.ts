import type { Policy } from '@ploidy/policy';
import { isId } from '../../../base/ids.ts';
import { nameKey } from '../../../base/names.ts';
import { notFound } from '../../../base/problem.ts';
import type { NamedPolicy } from './policies.ts';
import { nameTaken } from './stored-policies.ts';

/** Change of the policies of an account for a preview: exactly one of the three. */
export interface ProposedChange {
  create?: { name: string; policy: Policy };
  replace?: { policyId: string; name?: string; policy?: Policy };
  /** Id or name. */
  delete?: string;
}

/** Applies changes to policies in order. Throws the errors that the changes would cause. */
export function applyChanges(
  policies: readonly NamedPolicy[],
  changes: readonly ProposedChange[],
): NamedPolicy[] {
  const after = policies.slice();
  for (const { create, replace, delete: deleted } of changes) {
    if (create) {
      requireFree(after, create.name, -1);
      after.push({ id: '', ...create });
    } else if (replace) {
      const at = positionOf(after, replace.policyId);
      const before = after[at];
      if (!before) throw notFound();
      if (replace.name !== undefined) requireFree(after, replace.name, at);
      after[at] = {
        id: before.id,
        name: replace.name ?? before.name,
        policy: replace.policy ?? before.policy,
      };
    } else if (deleted !== undefined) {
      after.splice(positionOf(after, deleted), 1);
    }
  }
  return after;
}

function positionOf(policies: readonly NamedPolicy[], idOrName: string): number {
  const id = idOrName.toLowerCase();
  const key = nameKey(idOrName);
  const at = policies.findIndex((one) => (isId(id) ? one.id === id : nameKey(one.name) === key));
  if (at < 0) throw notFound();
  return at;
}

function requireFree(policies: readonly NamedPolicy[], name: string, self: number): void {
  const key = nameKey(name);
  if (policies.some((one, at) => at !== self && nameKey(one.name) === key)) throw nameTaken();
}
