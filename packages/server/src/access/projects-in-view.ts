import {
  type CompiledPolicy,
  compilePolicy,
  conditionsOf,
  type Policy,
  type Rule,
  reducePolicy,
} from '@ploidy/policy';
import { type Privilege, privileges } from './operations.ts';

/** Privileges that may hold in a project. The one on API keys is about the account alone. */
const inProjects = privileges.filter((one) => one !== 'apiKeyUser');
const path = 'resource.dataset';
const wholly = (privilege: Privilege): string => `${privilege} wholly`;
const ownView = 'own';

/** Conditions on the id of a project, one of which must hold; `true`: no condition. */
type ProjectRules = true | readonly Rule[];

/**
 * Projects of an account that a caller may know of: those in which a privilege may hold for some resource or row. A rule about
 * what the caller owns counts where the caller owns something, unless it allows to create.
 */
export class ProjectsInView {
  /** Projects in view, whatever is in them. */
  readonly rules: ProjectRules;
  /** Projects in view if the caller owns something in them. */
  readonly ownRules: ProjectRules;
  readonly #account: string;
  readonly #compiled: CompiledPolicy;

  constructor(policy: Policy, account: string, userId: string) {
    this.#account = account;
    const reduced = reducePolicy(policy, { resource: { account } }, ['resource.account']);
    const grants: [string, true | Rule[]][] = [];
    const owned: Rule[] = [];
    for (const privilege of inProjects) {
      const conditions = conditionsOf(reduced, privilege);
      const rules = conditions === true ? [{}] : conditions || [];
      const isOwned = (rule: Rule): boolean => privilege !== 'createData' && isAboutOwn(rule, userId);
      owned.push(...rules.filter(isOwned).map(aboutProject));
      grants.push([privilege, anyOf(rules.filter((rule) => !isOwned(rule)).map(aboutProject))]);
      grants.push([wholly(privilege), anyOf(rules.filter(isAboutProjectAlone))]);
    }
    this.ownRules = anyOf(owned);
    const given = grants.filter(([, rules]) => rules === true || rules.length > 0);
    this.rules = anyOf(given.flatMap(([, rules]) => (rules === true ? [{}] : rules)));
    const own: [string, true | Rule[]][] = owned.length > 0 ? [[ownView, anyOf(owned)]] : [];
    this.#compiled = compilePolicy({ rules: Object.fromEntries([...given, ...own]) });
  }

  /** Reports whether a project is in view, whatever is in it. */
  has(project: string): boolean {
    return this.rules === true || inProjects.some((privilege) => this.#allows(privilege, project));
  }

  /** Reports whether a project is in view if the caller owns something in it. */
  hasIfOwner(project: string): boolean {
    return this.#allows(ownView, project);
  }

  /** Lists the privileges that hold in a project; `isWhole` unless only for some of its resources or rows. */
  rightsIn(project: string): { privilege: Privilege; isWhole: boolean }[] {
    return inProjects
      .filter((privilege) => this.#allows(privilege, project))
      .map((privilege) => ({ privilege, isWhole: this.#allows(wholly(privilege), project) }));
  }

  #allows(operation: string, project: string): boolean {
    return this.#compiled.allows(operation, { resource: { account: this.#account, dataset: project } });
  }
}

function isAboutOwn(rule: Rule, userId: string): boolean {
  const comparison = rule['resource.ownerId'];
  if (typeof comparison !== 'object') return false;
  const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
  return singles.some((one) => one.comparison === 'equals' && 'value' in one && one.value === userId);
}

/** Keeps of a rule what can be decided without a resource of the project. */
function aboutProject(rule: Rule): Rule {
  const comparison = rule[path];
  if (comparison === undefined || typeof comparison === 'boolean') return {};
  const singles = comparison.comparison === 'all' ? comparison.of : [comparison];
  const own = singles.filter((single) => !('target' in single));
  const [first] = own;
  if (first === undefined) return {};
  return { [path]: own.length === 1 ? first : { comparison: 'all', of: own } };
}

function isAboutProjectAlone(rule: Rule): boolean {
  return JSON.stringify(aboutProject(rule)) === JSON.stringify(rule);
}

/** Returns `true` where a rule has no condition, else the rules without repetition. */
function anyOf(rules: readonly Rule[]): true | Rule[] {
  const byText = new Map(rules.map((rule) => [JSON.stringify(rule), rule]));
  return byText.has('{}') || [...byText.values()];
}
