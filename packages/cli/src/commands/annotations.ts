import type { Command } from 'commander';
import { definedOf } from '../input.ts';
import { listCommand, projectListCommand } from '../list-command.ts';
import { openSession, printResult, projectOf } from '../session.ts';
import { visible } from '../visible.ts';

interface ChangeOptions {
  project?: string;
  source?: string;
}

export function addAnnotations(program: Command): void {
  const annotations = program
    .command('annotations')
    .description('annotation sources of a project: releases, changes, filling of variants');
  projectListCommand(
    annotations.command('ls').description('list the releases of annotation sources'),
    (session, id) => session.client.annotationSources(id),
    ['source', 'version', 'released', 'build', 'rows', 'used'],
    ({ source, version = '', released = '', genomeBuild = '', rows, isUsed, isOfService }) => [
      ...[source, version, released, genomeBuild, String(rows)],
      `${isUsed ? 'yes' : 'no'}${isOfService ? ', of the service' : ''}`,
    ],
  );
  listCommand(
    annotations
      .command('changes')
      .description('list values that a release changed, with the samples that carry the allele')
      .option('-p, --project <project>', 'id or name; the chosen project by default')
      .option('--source <name>', 'changes of one source'),
    async (session, { project, source }: ChangeOptions) =>
      session.client.annotationChanges((await projectOf(session, project)).id, definedOf({ source })),
    ['source', 'versions', 'place', 'gene', 'name', 'before', 'after', 'samples', 'subjects'],
    ({ source, oldVersion = '?', newVersion = '?', ...change }) => [
      ...[source, `${oldVersion} > ${newVersion}`, placeOf(change), change.gene ?? '', change.name],
      ...[
        change.oldValue ?? '',
        change.newValue ?? '',
        String(change.samples),
        String(change.subjects ?? ''),
      ],
    ],
  );
  for (const [name, isPaused] of [
    ['pause', true],
    ['resume', false],
  ] as const)
    annotations
      .command(name)
      .description(
        isPaused
          ? 'pause the filling of variants after the file at work'
          : 'go on with the filling of variants',
      )
      .option('-p, --project <project>', 'id or name; the chosen project by default')
      .action(async ({ project }: { project?: string }, command: Command) => {
        const session = await openSession(command);
        const { id } = await projectOf(session, project);
        const filling = await session.client.operations.pauseAnnotationFilling({
          path: { id },
          body: { isPaused },
        });
        const { state, rowsDone, rowsTotal } = filling;
        printResult(session, filling, () => `${state}: ${rowsDone} of ${rowsTotal} rows`);
      });
}

type Place = Partial<Record<'chromosome' | 'reference' | 'alternate' | 'proteinChange', string>> & {
  position?: number;
};

function placeOf({ chromosome, position, reference, alternate, proteinChange = '' }: Place): string {
  return visible(
    chromosome === undefined ? proteinChange : `${chromosome}:${position} ${reference}>${alternate}`,
  );
}
