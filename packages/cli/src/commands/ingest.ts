import type { Ingestion } from '@ploidy/client';
import { type Command, Option } from 'commander';
import { CommandError, Interrupted } from '../exit.ts';
import { bytesText, Progress } from '../progress.ts';
import { fileIdOf, interruptSignal, openSession, projectOf, type Session, say } from '../session.ts';

interface IngestOptions {
  project?: string;
  type?: 'vcf' | 'fhir';
  sample?: string;
  patient?: string;
  specimen?: string;
  passOnly?: boolean;
  onError?: 'fail' | 'skip';
  wait: boolean;
}

export function addIngest(program: Command): void {
  program
    .command('ingest')
    .description('turn files of the project into rows of its tables')
    .argument('<files...>', 'ids or names')
    .option('-p, --project <project>', 'id or name')
    .addOption(new Option('--type <type>', 'recognised by content when absent').choices(['vcf', 'fhir']))
    .option('--sample <id>', 'sample of a VCF without samples')
    .option('--patient <id>', 'patient of the only sample')
    .option('--specimen <id>', 'specimen of the only sample')
    .option('--pass-only', 'only VCF records that passed their filters')
    .addOption(new Option('--on-error <how>', 'what to do with a broken line').choices(['fail', 'skip']))
    .option('--no-wait', 'do not wait for the end')
    .action(async (named: string[], options: IngestOptions, command: Command) => {
      const session = openSession(command);
      const { id: project } = await projectOf(session, options.project);
      const done: Ingestion[] = [];
      for (const name of named) {
        const fileId = await fileIdOf(session, project, name);
        done.push(await ingestOne(session, project, fileId, options));
      }
      say(session, done, () => done.map(summary).join('\n'));
      const bad = done.find(({ state }) => state === 'failed' || state === 'cancelled');
      if (bad) throw new CommandError(`${bad.fileName}: ${bad.error?.message ?? bad.state}`);
    });
}

async function ingestOne(
  session: Session,
  datasetId: string,
  fileId: string,
  options: IngestOptions,
): Promise<Ingestion> {
  const { client } = session;
  const { type, sample, patient, specimen, passOnly, onError } = options;
  const started = await client.ingest({
    datasetId,
    fileId,
    ...(type && { type }),
    ...(sample && { sampleId: sample }),
    ...(patient && { patientId: patient }),
    ...(specimen && { specimenId: specimen }),
    ...(passOnly && { passOnly }),
    ...(onError && { onError }),
  });
  if (!options.wait) return started;
  const progress = new Progress(started.fileName, session.json);
  const interrupt = interruptSignal();
  try {
    const ended = await client.waitForIngestion(started.id, {
      signal: interrupt.signal,
      onState: ({ progress: { bytes, bytesTotal, rows } }) =>
        progress.update(bytes, bytesTotal, `${bytesText(bytes)}, ${rows} rows`),
    });
    progress.end(`${ended.state}, ${ended.progress.rows} rows`);
    return ended;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    await client.cancelIngestion(started.id);
    throw new Interrupted('Interrupted; the ingestion was cancelled and left nothing.');
  } finally {
    interrupt.done();
  }
}

function summary(ingestion: Ingestion): string {
  const { id, fileName, state, progress, warningCount, warnings, error } = ingestion;
  const lines = [`${id}  ${fileName}  ${state}, ${progress.rows} rows`];
  for (const { line, message } of warnings)
    lines.push(`  warning${line ? ` in line ${line}` : ''}: ${message}`);
  if (warningCount > warnings.length) lines.push(`  … ${warningCount} warnings in all`);
  if (error) lines.push(`  ${error.line ? `line ${error.line}: ` : ''}${error.message}`);
  return lines.join('\n');
}
