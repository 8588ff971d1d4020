import {
  type LinkedSample,
  linkedSamples,
  mergedSamples,
  readLinkedSamples,
  replaceLinkedSamples,
} from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { readText } from '../input.ts';
import { projectListCommand } from '../list-command.ts';
import { openSession, printResult, projectOf } from '../session.ts';

export function addSamples(program: Command): void {
  const samples = program.command('samples').description('patients of samples, given after their ingestion');
  projectListCommand(
    samples.command('ls').description('list the samples of the list with their patients'),
    async (session, id) => (await linkedSamples(session.client.api, id)).samples,
    ['sample', 'patient', 'specimen'],
    ({ sampleId, patientId = '', specimenId = '' }) => [sampleId, patientId, specimenId],
  );
  samples
    .command('set')
    .description('assign patients to samples; a line without a patient removes that of the file')
    .argument(
      '<file>',
      'CSV or TSV with sample_id, patient_id and, if wanted, specimen_id; - for standard input',
    )
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--replace', 'leave out the samples of the list that the file does not name')
    .action(async (file: string, options: { project?: string; replace?: boolean }, command: Command) => {
      const session = await openSession(command);
      const { api } = session.client;
      const { id } = await projectOf(session, options.project);
      const given = samplesIn(await readText(file));
      const present = await linkedSamples(api, id);
      const list = options.replace ? given : mergedSamples(present.samples, given);
      const count = await replaceLinkedSamples(api, id, { samples: list, etag: present.etag });
      printResult(
        session,
        { samples: count },
        () => `The list has ${count} ${count === 1 ? 'sample' : 'samples'}.`,
      );
    });
}

function samplesIn(text: string): LinkedSample[] {
  try {
    return readLinkedSamples(text);
  } catch (error) {
    throw new CommandError((error as Error).message, exitCodes.usage);
  }
}
