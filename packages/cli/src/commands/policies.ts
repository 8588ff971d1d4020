import {
  bodyOf,
  ClientError,
  type NamedPolicy,
  type PolicyPreview,
  type Privilege,
  type ProposedChange,
  type ResourceType,
  type StoredPolicy,
} from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { collect, readJson } from '../input.ts';
import { listCommand } from '../list-command.ts';
import { openSession, printResult, type Session } from '../session.ts';
import { documentText, visible } from '../visible.ts';

export function addPolicies(program: Command): void {
  const policies = program.command('policies').description('access policies of the account');
  listCommand(
    policies
      .command('ls')
      .description('list the policies')
      .argument('[prefix]', 'only names that begin with this'),
    (session, prefix: string | undefined) => session.client.policies(prefix),
    ['id', 'name', 'operations'],
    ({ id, name, policy }) => [id, name, Object.keys(policy.rules).join(', ')],
  );
  policies
    .command('get')
    .description('print the document of a policy, as put reads it')
    .argument('<policy>', 'id or name')
    .action(async (policyId: string, _options: object, command: Command) => {
      const session = await openSession(command);
      const params = { path: { policyId } };
      const found = bodyOf(await session.client.api.GET('/v1/policies/{policyId}', { params }));
      printResult(session, found, () => documentText(found.policy, 2));
    });
  policies
    .command('put')
    .description('create a policy, or replace its document')
    .argument('<name>', 'name, or id of an existing policy')
    .argument('[file]', 'file with the document as JSON; - for standard input')
    .option('--rename <name>', 'rename the policy')
    .action(
      async (name: string, file: string | undefined, options: { rename?: string }, command: Command) => {
        if (file === undefined && options.rename === undefined) {
          throw new CommandError(
            'Give a file with the document, or a new name with --rename.',
            exitCodes.usage,
          );
        }
        const session = await openSession(command);
        const policy = file === undefined ? undefined : await readJson<NamedPolicy['policy']>(file);
        printStored(session, await putPolicy(session, name, policy, options.rename));
      },
    );
  policies
    .command('rm')
    .description('delete a policy; this takes effect at once')
    .argument('<policy>', 'id or name')
    .action(async (policyId: string, _options: object, command: Command) => {
      const session = await openSession(command);
      await session.client.api.DELETE('/v1/policies/{policyId}', { params: { path: { policyId } } });
      printResult(session, { policy: policyId, deleted: true }, () => 'Deleted.');
    });
  addExplain(policies);
  addPreview(policies);
}

interface ExplainOptions {
  user?: string;
  dataset?: string;
  type?: ResourceType;
  id?: string;
  owner?: string;
}

function addExplain(policies: Command): void {
  policies
    .command('explain')
    .description('explain why you, or another user, may or may not do something')
    .argument('<privilege>', 'such as readData')
    .option('--user <user>', 'id or e-mail address; needs accessAdmin')
    .option('--dataset <id>', 'project of the resource')
    .option('--type <type>', 'type of the resource, such as file, query or table')
    .option('--id <id>', 'id of the resource')
    .option('--owner <id>', 'user who owns the resource')
    // Other names are for the service to answer, with a warning.
    .action(async (privilege: Privilege, options: ExplainOptions, command: Command) => {
      const session = await openSession(command);
      const { user, owner, ...others } = options;
      const resource = { ...others, ...(owner !== undefined && { ownerId: owner }) };
      const body = { privilege, resource, ...(user !== undefined && { user }) };
      const explained = bodyOf(await session.client.api.POST('/v1/policies/explain', { body }));
      const { allowed, because } = explained;
      printResult(session, explained, () =>
        [
          allowed ? 'Allowed.' : 'Not allowed.',
          ...because.map((reason) => `  ${visible(reason)}`),
          ...warningLines(explained),
        ].join('\n'),
      );
    });
}

function addPreview(policies: Command): void {
  policies
    .command('preview')
    .description('show whose rights would change, without changing anything')
    .option('--put <name=file>', 'as if this document were put under the name; may be repeated', collect)
    .option('--rm <policy>', 'as if this policy were deleted; may be repeated', collect)
    .action(async ({ put = [], rm = [] }: { put?: string[]; rm?: string[] }, command: Command) => {
      const session = await openSession(command);
      const changes: ProposedChange[] = rm.map((policyId) => ({ delete: policyId }));
      for (const word of put) changes.push(await proposed(session, word));
      if (changes.length === 0) throw new CommandError('Give a change with --put or --rm.', exitCodes.usage);
      const preview = bodyOf(await session.client.api.POST('/v1/policies/preview', { body: { changes } }));
      printResult(session, preview, () => textOfPreview(preview));
    });
}

async function proposed(session: Session, word: string): Promise<ProposedChange> {
  const cut = word.lastIndexOf('=');
  if (cut < 1) throw new CommandError(`"${word}" is not NAME=FILE.`, exitCodes.usage);
  const name = word.slice(0, cut);
  const policy = await readJson<NamedPolicy['policy']>(word.slice(cut + 1));
  const found = await findPolicy(session, name);
  return found ? { replace: { policyId: found.id, policy } } : { create: { name, policy } };
}

function textOfPreview({ items, affected, examined, users, complete, warnings }: PolicyPreview): string {
  const lines = items.flatMap(({ user, privileges }) => [
    visible(user.email),
    ...privileges.map(({ privilege, change }) => `  ${change.padEnd(8)}  ${visible(privilege)}`),
  ]);
  lines.push(`${affected} of ${users} members would be affected.`);
  if (!complete) lines.push(`Not all are shown: ${examined} were examined, ${items.length} are listed.`);
  return [...lines, ...warningLines({ warnings })].join('\n');
}

/** Reports a stored policy, with what is doubtful about it. */
export function printStored(session: Session, stored: StoredPolicy): void {
  printResult(session, stored, () =>
    [`${visible(stored.name)}  ${stored.id}`, ...warningLines(stored)].join('\n'),
  );
}

function warningLines({ warnings }: { warnings: { path?: string; message: string }[] }): string[] {
  return warnings.map(({ path, message }) => visible(`Warning: ${path ? `${path}: ` : ''}${message}`));
}

/** Makes a policy, or replaces the document of the one with that name or id. */
export async function putPolicy(
  session: Session,
  name: string,
  policy: NamedPolicy['policy'] | undefined,
  newName?: string,
): Promise<StoredPolicy> {
  const found = await findPolicy(session, name);
  if (found) {
    const body = { ...(policy && { policy }), ...(newName !== undefined && { name: newName }) };
    const params = { path: { policyId: found.id } };
    return bodyOf(await session.client.api.PUT('/v1/policies/{policyId}', { params, body }));
  }
  if (policy === undefined) throw new CommandError(`There is no policy "${name}".`, exitCodes.notFound);
  return session.client.createPolicy(newName ?? name, policy);
}

export async function findPolicy(session: Session, policyId: string): Promise<NamedPolicy | undefined> {
  try {
    return bodyOf(
      await session.client.api.GET('/v1/policies/{policyId}', { params: { path: { policyId } } }),
    );
  } catch (error) {
    if (error instanceof ClientError && error.status === 404 && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}
