import { setImmediate as nextTurn } from 'node:timers/promises';
import { compilePolicy, reducePolicy } from '@ploidy/policy';
import { Caller, type Extent } from '../../../access/caller.ts';
import { evaluatePolicy, type Subject } from '../../../access/evaluate.ts';
import { attributesOfNew, type ResourceAttributes } from '../../../access/resource.ts';
import type { Rows } from '../../../access/rows.ts';
import type { PageRequest, Position } from '../../../api/paging.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { findSubject, type NamedPolicy, namedPolicies, pageOfUsers } from '../../identity/policies/index.ts';
import type { User } from '../../identity/users/index.ts';
import { tablesOf } from '../dataset-tables.ts';
import { masksRows, rowAccessOf } from '../views/row-access.ts';

/** Rights in a project, in the order in which they are listed. */
export const rightNames = [
  'readFiles',
  'createFiles',
  'changeFiles',
  'deleteFiles',
  'readRows',
  'readMaskedRows',
  'administer',
] as const;

type RightName = (typeof rightNames)[number];

/** Names of policies that are listed for a right at most. */
const policiesMax = 20;

/** Right of a person in a project, with the policies that grant it. */
interface Right {
  right: RightName;
  extent: 'all' | 'some';
  /** Names of the first ones. */
  policies: string[];
  policyCount: number;
}

/** Person or client with its rights in a project. */
export interface ProjectReader {
  user: User;
  owner: boolean;
  rights: Right[];
  /** Minimum number of patients of its masked answers; 0: rows are shown. */
  countsMin: number;
}

interface ReaderDeps {
  records: Records;
  callers: Callers;
  countsMin: number;
}

/** Rights of people in a project, found by the decisions that their requests get. */
export class ProjectReaders {
  readonly #deps: ReaderDeps;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** Lists the members of the account and its clients in order of creation; `next`: position behind a page that is not the last. */
  async page(
    project: ProjectRecord,
    page: PageRequest,
    signal: AbortSignal,
  ): Promise<{ readers: ProjectReader[]; next: Position | undefined }> {
    const { read } = this.#deps.records;
    const policies = policiesAbout(project, await namedPolicies(read, project.account));
    const users = await pageOfUsers(read, project.account, page);
    const shown = users.slice(0, page.size);
    const readers: ProjectReader[] = [];
    for (const user of shown) {
      const reader = await this.#reader(project, policies, user);
      if (reader) readers.push(reader);
      // Each person is compared with all policies.
      await nextTurn();
      signal.throwIfAborted();
    }
    const last = shown.at(-1);
    return { readers, next: last && users.length > shown.length ? [last.id] : undefined };
  }

  /** Returns the rights of a user; nothing for one who left meanwhile. */
  async #reader(
    project: ProjectRecord,
    policies: readonly NamedPolicy[],
    user: User,
  ): Promise<ProjectReader | undefined> {
    const { records, callers, countsMin } = this.#deps;
    const { account } = project;
    const principal = { userId: user.id, via: 'access', keyAccount: undefined, onlyAccount: account };
    const caller = await callers.resolve(principal);
    const subject = await findSubject(records.read, account, user.id);
    if (!subject || !caller?.isMember(account)) return undefined;
    const extents = extentsOf(caller, project, countsMin);
    const givers = policies.map((policy) => ({
      name: policy.name,
      gives: extentsOf(underPolicy(caller, policy, subject, account), project, countsMin),
    }));
    const rights = rightNames.flatMap((right): Right[] => {
      const extent = extents[right];
      if (extent === 'none') return [];
      const giving = givers.filter(({ gives }) => gives[right] !== 'none').map(({ name }) => name);
      return [{ right, extent, policies: giving.slice(0, policiesMax), policyCount: giving.length }];
    });
    const access = rowAccessOf(caller, tablesOf(project), countsMin);
    return { user, owner: subject.owner, rights, countsMin: masksRows(access) ? access.countsMin : 0 };
  }
}

/** Decides each right as the routes of the project do. */
function extentsOf(caller: Caller, project: ProjectRecord, countsMin: number): Record<RightName, Extent> {
  const about = (type: ResourceAttributes['type']): ResourceAttributes => ({
    account: project.account,
    dataset: project.id,
    type,
  });
  const access = rowAccessOf(caller, tablesOf(project), countsMin);
  return {
    readFiles: caller.extentOf('files.read', about('file')),
    createFiles: caller.may('files.create', attributesOfNew('file', project, caller)) ? 'all' : 'none',
    changeFiles: caller.extentOf('files.update', about('file')),
    deleteFiles: caller.extentOf('files.delete', about('file')),
    readRows: extentOfRows(access.real),
    readMaskedRows: masksRows(access) ? extentOfRows(access.masked) : 'none',
    administer: caller.may('projects.update', { ...about('project'), id: project.id }) ? 'all' : 'none',
  };
}

const extentOfRows = (rows: Rows): Extent => (typeof rows !== 'boolean' ? 'some' : rows ? 'all' : 'none');

/** Returns the caller as if the account had one policy. */
function underPolicy(caller: Caller, { policy }: NamedPolicy, subject: Subject, account: string): Caller {
  const evaluated = evaluatePolicy(policy, { ...subject, owner: false });
  const access = { account, policy: evaluated, compiled: compilePolicy(evaluated) };
  return new Caller({ ...caller, accounts: new Map([[account, access]]) });
}

/** Keeps of each policy what can hold in the project; policies without such rules are left out. */
function policiesAbout({ account, id }: ProjectRecord, policies: readonly NamedPolicy[]): NamedPolicy[] {
  const known = ['resource.account', 'resource.dataset'];
  return policies
    .map((named) => ({
      ...named,
      policy: reducePolicy(named.policy, { resource: { account, dataset: id } }, known),
    }))
    .filter(({ policy }) => Object.keys(policy.rules).length > 0);
}
