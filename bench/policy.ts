/** Decisions per second of the policy engine: on an account's full policy, on what reducing leaves, and the cost of both steps. */
import {
  type Attributes,
  compilePolicy,
  mergePolicies,
  type Policy,
  type Rule,
  reducePolicy,
} from '../packages/policy/src/index.ts';

const projects = 20;
const operations = ['readData', 'createData', 'updateData', 'deleteData', 'readMaskedData', 'auditRead'];

/** The subject: a member of groups 3 and 7, so that most rules do not hold. */
const user = {
  id: 'u1',
  email: 'jane.doe@example.com',
  groups: ['users', 'group-3', 'group-7'],
  customAttributes: { site: 'north', patients: ['p1', 'p2', 'p3'] },
};

/** Prints decisions per second, the median of several rounds, with the number of decisions that allow. */
export async function bench(): Promise<void> {
  const policy = mergePolicies([
    accountPolicy(),
    ...Array.from({ length: projects }, (_, n) => projectPolicy(n)),
  ]);
  const reduced = reducePolicy(policy, { user }, ['user']);
  const requests: Attributes[] = Array.from({ length: 16 }, (_, n) => ({
    user,
    resource: {
      account: 'a',
      dataset: `project-${n}`,
      type: 'file',
      id: `f${n}`,
      ownerId: 'u2',
      subject: 'p9',
    },
  }));
  decide('full policy, allowed and denied', policy, requests, 200_000);
  decide('reduced policy, allowed and denied', reduced, requests, 20_000_000);
  const one: Rule = { 'resource.dataset': { comparison: 'equals', value: 'project-3' } };
  decide('reduced policy of one project', { rules: { readData: [one] } }, requests, 20_000_000);
  rate('reduce and compile', 500, () => (compilePolicy(reducePolicy(policy, { user }, ['user'])) ? 1 : 0));
  rate('merge of all policies', 200, () => (mergePolicies([policy, accountPolicy()]) ? 1 : 0));
}

function accountPolicy(): Policy {
  const admin: Rule = { 'user.groups': { comparison: 'includes', value: 'administrators' } };
  const own: Rule = {
    'user.customAttributes.patients': { comparison: 'includes', target: 'resource.subject' },
  };
  return { rules: Object.fromEntries(operations.map((name) => [name, [admin, own]])) };
}

function projectPolicy(n: number): Policy {
  const rule: Rule = {
    'user.groups': { comparison: 'includes', value: `group-${n}` },
    'resource.dataset': { comparison: 'equals', value: `project-${n}` },
  };
  return { rules: Object.fromEntries(operations.map((name) => [name, [rule]])) };
}

function decide(name: string, policy: Policy, requests: readonly Attributes[], count: number): void {
  const compiled = compilePolicy(policy);
  rate(name, count, (index) => {
    const request = requests[index & 15];
    return request !== undefined && compiled.allows('readData', request) ? 1 : 0;
  });
}

function rate(name: string, count: number, once: (index: number) => number): void {
  const rates: number[] = [];
  let yes = 0;
  for (let round = 0; round < 6; round++) {
    yes = 0;
    const begin = performance.now();
    for (let index = 0; index < count; index++) yes += once(index);
    rates.push((count / (performance.now() - begin)) * 1000);
  }
  const [slowest = 0, , median = 0, , fastest = 0] = rates.slice(1).sort((a, b) => a - b);
  const [low, middle, high] = [slowest, median, fastest].map((perSecond) =>
    Math.round(perSecond).toLocaleString('en'),
  );
  process.stdout.write(`policy: ${name}: ${middle}/s (${low} to ${high}), ${yes} of ${count} allow\n`);
}
