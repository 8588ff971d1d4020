import { bodyOf, type Group } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { listCommand } from '../list-command.ts';
import {
  isId,
  namedAs,
  openSession,
  printEach,
  printList,
  printResult,
  projectOf,
  type Session,
} from '../session.ts';
import { visible } from '../visible.ts';
import { findPolicy, printStored, putPolicy } from './policies.ts';

interface MemberOptions {
  add?: string[];
  remove?: string[];
}

export function addGroups(program: Command): void {
  const groups = program.command('groups').description('groups of the account and their members');
  listCommand(
    groups
      .command('ls')
      .description('list the groups that you may see')
      .argument('[prefix]', 'only names that begin with this'),
    (session, prefix: string | undefined) => session.client.groups(prefix),
    ['id', 'name', 'type', 'description'],
    (group) => [group.id, group.name, group.type, group.description],
  );
  groups
    .command('add')
    .description('create a group')
    .argument('<name>')
    .option('--description <text>', 'purpose of the group')
    .option('--open', 'members of the account may join it themselves')
    .action(async (name: string, options: { description?: string; open?: boolean }, command: Command) => {
      const session = await openSession(command);
      const { description, open } = options;
      const body = {
        name,
        ...(description !== undefined && { description }),
        ...(open && { type: 'open' as const }),
      };
      const group = bodyOf(await session.client.api.POST('/v1/account/groups', { body }));
      printResult(session, group, () => group.id);
    });
  groups
    .command('rm')
    .description('delete groups; members of no other group leave the account')
    .argument('<groups...>', 'ids or names')
    .action(async (named: string[], _options: object, command: Command) => {
      const session = await openSession(command);
      const found: Group[] = [];
      for (const one of named) found.push(await groupOf(session, one));
      await printEach(
        session,
        found,
        async ({ id, name }) => {
          await session.client.api.DELETE('/v1/account/groups/{id}', { params: { path: { id } } });
          return { id, name };
        },
        ({ name }) => `Deleted ${visible(name)}.`,
      );
    });
  groups
    .command('members')
    .description('list the members of a group, after adding and removing some')
    .argument('<group>', 'id or name')
    .option('--add <users...>', 'ids or e-mail addresses of users of the account')
    .option('--remove <users...>', 'ids or e-mail addresses')
    .action(async (named: string, options: MemberOptions, command: Command) => {
      const session = await openSession(command);
      const { id } = await groupOf(session, named);
      await changeMembers(session, id, options);
      const items = await Array.fromAsync(session.client.members(id));
      printList(session, items, ['id', 'email', 'name'], ({ id: user, profile }) => [
        user,
        profile.email ?? '',
        profile.name ?? '',
      ]);
    });
  addGrant(groups);
}

interface GrantOptions {
  project?: string;
  revoke?: boolean;
}

/** Adds `groups grant`: a policy of its own for each grant, so that it can be revoked. */
function addGrant(groups: Command): void {
  groups
    .command('grant')
    .description('grant privileges to the members of a group, with a policy')
    .argument('<group>', 'id or name')
    .argument('<privileges...>', 'such as readMaskedData')
    .option('--project <project>', 'only in this project, by id or name')
    .option('--revoke', 'revoke this grant by deleting its policy')
    .action(async (named: string, privileges: string[], options: GrantOptions, command: Command) => {
      const session = await openSession(command);
      const group = await groupOf(session, named);
      const project = options.project === undefined ? undefined : await projectOf(session, options.project);
      const where = project ? ` in ${project.name}` : '';
      const name = `${group.name}: ${privileges.toSorted().join(', ')}${where}`;
      const found = await findPolicy(session, name);
      if (options.revoke) {
        if (!found) throw new CommandError(`There is no policy "${name}".`, exitCodes.notFound);
        const params = { path: { policyId: found.id } };
        await session.client.api.DELETE('/v1/policies/{policyId}', { params });
        return printResult(session, { policy: found.id, deleted: true }, () => `Deleted ${visible(name)}.`);
      }
      const rule = {
        'user.groups': { comparison: 'includes' as const, value: group.id },
        ...(project && { 'resource.dataset': { comparison: 'equals' as const, value: project.id } }),
      };
      const policy = { rules: Object.fromEntries(privileges.map((privilege) => [privilege, [rule]])) };
      printStored(session, await putPolicy(session, name, policy));
    });
}

async function changeMembers(
  { client }: Session,
  id: string,
  { add = [], remove = [] }: MemberOptions,
): Promise<void> {
  const path = '/v1/account/groups/{id}/members/{username}';
  for (const username of add) await client.api.PUT(path, { params: { path: { id, username } } });
  for (const username of remove) await client.api.DELETE(path, { params: { path: { id, username } } });
}

/** Returns the group named by id or by its name, without regard to case. */
async function groupOf(session: Session, named: string): Promise<Group> {
  if (isId(named)) {
    return bodyOf(
      await session.client.api.GET('/v1/account/groups/{id}', { params: { path: { id: named } } }),
    );
  }
  const group = await namedAs(session.client.groups(named), named);
  if (group) return group;
  throw new CommandError(`There is no group "${named}".`, exitCodes.notFound);
}
