import type { Ingestion } from '@ploidy/client';
import { ClientError, ingestionTypes } from '@ploidy/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError } from '../exit.ts';
import { collect, definedOf } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { jobsOption } from '../jobs.ts';
import { bytesText, Progress } from '../progress.ts';
import { filesOf, type NamedFile } from '../project-files.ts';
import { openSession, printEach, projectOf, type Session } from '../session.ts';
import { stateText } from '../state-text.ts';
import { visible } from '../visible.ts';

const builds = ['NCBI36', 'GRCh37', 'GRCh38', 'T2T-CHM13v2.0'] as const;

interface IngestOptions {
  type?: (typeof ingestionTypes)[number];
  name?: string;
  sample?: string;
  rename?: Record<string, string>;
  patient?: string;
  specimen?: string;
  of?: { sampleId: string; patientId: string }[];
  testType?: string;
  sequenceType?: string;
  genomeBuild?: (typeof builds)[number];
  passOnly?: boolean;
  /** False: without the table `variant_call`. */
  variantCalls?: boolean;
  table?: string;
  patientColumn?: string;
  sampleColumn?: string;
  column?: OwnColumn[];
  null?: string[];
  sourceVersion?: string;
  released?: string;
  onError?: 'fail' | 'skip';
  wait: boolean;
}

export function addIngest(program: Command): void {
  program
    .command('ingest')
    .description('load files of the project into its tables; Ctrl-C cancels')
    .argument('<files...>', 'ids, names or patterns such as "run7/*.vcf"')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .addOption(
      new Option('--type <type>', 'type of the files; detected from the content by default').choices(
        ingestionTypes,
      ),
    )
    .option('--name <name>', 'name of the set of rows, reads or sequences')
    .option('--sample <id>', 'sample of a file that names none, or a new name for its only sample')
    .option('--rename <name=id>', 'new name of a sample of the file; may be repeated', renamed)
    .option('--patient <id>', 'patient of the only sample')
    .option('--specimen <id>', 'specimen of the only sample')
    .option('--of <sample=patient>', 'patient of one of several samples; may be repeated', samplePatient)
    .option('--test-type <text>', 'for the table sequence')
    .option('--sequence-type <text>', 'for the tables sequence and fusion')
    .addOption(
      new Option('--genome-build <build>', 'genome build, if the file does not name it').choices(builds),
    )
    .option('--table <name>', 'type table: name of the table; the name of the file by default')
    .option('--patient-column <title>', 'type table: column of the patient')
    .option('--sample-column <title>', 'type table: column of the sample')
    .option('--column <title=type,mask>', 'type table: type and mask of a column; may be repeated', ownColumn)
    .option('--null <word>', 'type table: word that means no value; may be repeated', collect)
    .option('--source-version <version>', 'type annotation: version of the source')
    .option('--released <date>', 'type annotation: date of the release, such as 2026-11-08')
    .option('--pass-only', 'only records of a VCF or MAF that passed all filters')
    .option('--no-variant-calls', 'do not fill the table variant_call from a VCF')
    .addOption(new Option('--on-error <how>', 'what to do with an invalid line').choices(['fail', 'skip']))
    .option('--no-wait', 'do not wait for the result (see "ploidy ingestions")')
    .option(...jobsOption)
    .action(
      async (
        named: string[],
        options: IngestOptions & { project?: string; jobs: number },
        command: Command,
      ) => {
        const session = await openSession(command);
        const { id: project } = await projectOf(session, options.project);
        const files = await filesOf(session, named, project);
        const ingest = ({ id }: NamedFile) => ingestFile(session, project, id, options);
        await ingestEach(session, files, ingest, options.jobs);
      },
    );
}

type Pair = { sampleId: string; patientId: string };

function samplePatient(word: string, before: Pair[] = []): Pair[] {
  const [, sampleId, patientId] = /^([^=]+)=(.+)$/.exec(word) ?? [];
  if (!sampleId || !patientId) throw new InvalidArgumentError('It should be like SAMPLE=PATIENT.');
  return [...before, { sampleId, patientId }];
}

function renamed(word: string, before: Record<string, string> = {}): Record<string, string> {
  const [, name, id] = /^([^=]+)=(.+)$/.exec(word) ?? [];
  if (!name || !id) throw new InvalidArgumentError('It should be like NAME=ID.');
  return { ...before, [name]: id };
}

type OwnTable = NonNullable<Parameters<Session['client']['ingest']>[0]['table']>;
type OwnColumn = NonNullable<OwnTable['columns']>[number];

/** Reads `Title=type,mask`; one of the two may be absent. The service checks the words. */
function ownColumn(text: string, before: OwnColumn[] = []): OwnColumn[] {
  const [, name, settings = ''] = /^(.+)=([a-z]+(?:,[a-z]+)?)$/.exec(text) ?? [];
  if (!name) throw new InvalidArgumentError('It should be like TITLE=TYPE,MASK.');
  const given = settings.split(',');
  const type = given.find((word) => types.has(word));
  const mask = given.find((word) => !types.has(word));
  return [...before, { name, ...(type && { type }), ...(mask && { mask }) } as OwnColumn];
}

const types: ReadonlySet<string> = new Set(['string', 'int', 'float', 'boolean', 'date']);

function tableOf(options: IngestOptions): OwnTable | undefined {
  const { table: name, patientColumn, sampleColumn, column: columns, null: nulls } = options;
  const given = definedOf({ name, patientColumn, sampleColumn, columns, nulls });
  return Object.keys(given).length > 0 ? given : undefined;
}

function releaseOf({ sourceVersion: version, released }: IngestOptions) {
  const given = definedOf({ version, released });
  return Object.keys(given).length > 0 ? given : undefined;
}

/** Starts an ingestion and, if the user asks for it, waits for its end. */
export async function ingestFile(
  { client, json }: Session,
  datasetId: string,
  fileId: string,
  options: IngestOptions,
): Promise<Ingestion> {
  const { sample: sampleId, patient: patientId, specimen: specimenId, of: samples } = options;
  const { type, name, testType, sequenceType, genomeBuild, passOnly, onError } = options;
  // The service fills the table unless it is asked not to.
  const variantCalls = options.variantCalls === false ? false : undefined;
  const given = {
    type,
    name,
    sampleId,
    sampleIds: options.rename,
    patientId,
    specimenId,
    samples,
    testType,
    sequenceType,
    genomeBuild,
    passOnly,
    variantCalls,
    onError,
    table: tableOf(options),
    annotation: releaseOf(options),
  };
  const started = await client.ingest({ datasetId, fileId, ...definedOf(given) });
  return options.wait ? watchIngestion({ client, json }, started) : started;
}

/** Waits for the end of an ingestion with a progress bar. Ctrl-C cancels it, or ends only the watching. */
export async function watchIngestion(
  { client, json }: Pick<Session, 'client' | 'json'>,
  started: Ingestion,
  isOwn = true,
): Promise<Ingestion> {
  const progress = new Progress(started.fileName || started.fileId, json);
  const ended = await interruptible(
    (signal) =>
      client.waitForIngestion(started.id, {
        signal,
        onState: ({ state, waiting, progress: { bytes, bytesTotal, rows } }) =>
          progress.update(
            bytes,
            bytesTotal,
            state === 'queued' ? stateText({ state, waiting }) : `${bytesText(bytes)}, ${rows} rows`,
          ),
      }),
    async () => {
      progress.clear();
      if (!isOwn) return 'Interrupted; the ingestion goes on.';
      return cancelled(() => client.cancelIngestion(started.id), 'ingestion');
    },
  );
  progress.clear();
  return ended;
}

/** Cancels, and describes the outcome: the work may have ended in the meantime. */
export async function cancelled(cancel: () => Promise<unknown>, what: string): Promise<string> {
  try {
    await cancel();
    return `Interrupted; the ${what} was cancelled and left no data.`;
  } catch (error) {
    if (!(error instanceof ClientError && error.status === 409)) throw error;
    return `Interrupted, but the ${what} had already ended.`;
  }
}

/** Runs ingestions, prints each, and the sums of several. Fails when one of them failed. */
export async function ingestEach<T>(
  session: Session,
  items: readonly T[],
  ingest: (item: T) => Promise<Ingestion>,
  jobs: number,
): Promise<void> {
  const isOne = items.length === 1;
  const done = await printEach(session, items, ingest, (one) => summary(one, isOne), jobs);
  const failed = done.filter(({ state }) => state === 'failed' || state === 'cancelled');
  if (!isOne && !session.json) {
    const rows = done.reduce((sum, { progress }) => sum + progress.rows, 0);
    const warned = done.filter(({ warningCount }) => warningCount > 0).length;
    const warnings = warned === 0 ? '' : `, ${warned} with warnings`;
    process.stdout.write(`${done.length - failed.length} of ${done.length}, ${rows} rows${warnings}\n`);
  }
  const [bad] = failed;
  if (!bad) return;
  const more = failed.length > 1 ? ` ${failed.length - 1} others failed too.` : '';
  throw new CommandError(`${bad.fileName || bad.fileId}: ${bad.error?.message ?? bad.state}${more}`);
}

const warningsMax = 10;

/** Describes an ingestion. Without details: in one line, with its warnings as a number, and its error. */
export function summary(ingestion: Ingestion, isDetailed = true): string {
  const { id, fileId, fileName, progress, warningCount, warnings, found, error } = ingestion;
  const lines = [`${id}  ${fileName || fileId}  ${stateText(ingestion)}, ${progress.rows} rows`];
  if (!isDetailed) {
    if (warningCount > 0) lines.push(`  ${warningCount} warnings: ploidy ingestions show ${id}`);
    if (error) lines.push(`  ${placeOf(error)}${error.message}`);
    return lines.map(visible).join('\n');
  }
  if (found) lines.push(...foundLines(found));
  for (const { line, message } of warnings.slice(0, warningsMax))
    lines.push(`  warning${line ? ` in line ${line}` : ''}: ${message}`);
  if (warningCount > warningsMax) lines.push(`  … ${warningCount} warnings in all`);
  if (error) lines.push(`  ${placeOf(error)}${error.message}`);
  return lines.map(visible).join('\n');
}

/** Rows of each table, and the samples and patients by name: mixed-up ones are seen here first. */
function foundLines(found: NonNullable<Ingestion['found']>): string[] {
  const { tables, samples, patients, records, read, kept, unread, leftOut } = found;
  const rows = Object.entries(tables).map(([table, count]) => `${table} ${count}`);
  return [
    ...(records === undefined ? [] : [`  records: ${records}`]),
    ...countedLine('left out', leftOut),
    ...countedLine('read', read),
    ...countedLine('kept', kept),
    ...countedLine('unread', unread),
    ...(rows.length > 0 ? [`  rows: ${rows.join(', ')}`] : []),
    ...namesLine('samples', samples),
    ...namesLine('patients', patients),
  ];
}

type Counted = NonNullable<NonNullable<Ingestion['found']>['read']>;
const countedMax = 12;

function countedLine(what: string, counted: Counted = []): string[] {
  if (counted.length === 0) return [];
  const shown = counted.slice(0, countedMax).map(({ name, count, line }) => {
    const place = line === undefined ? '' : `, first in line ${line}`;
    return what === 'read' ? name : `${name} (${count}${place})`;
  });
  const others = counted.length - shown.length;
  return [`  ${what}: ${shown.join(', ')}${others > 0 ? ` and ${others} others` : ''}`];
}

function namesLine(what: string, found: { count: number; names: string[] } | undefined): string[] {
  if (!found || found.count === 0) return [];
  const others = found.count - found.names.length;
  return [`  ${what}: ${found.names.join(', ')}${others > 0 ? ` and ${others} others` : ''}`];
}

function placeOf({ line, column }: { line?: number; column?: number }): string {
  if (line === undefined) return '';
  return column === undefined ? `line ${line}: ` : `line ${line}, column ${column}: `;
}
