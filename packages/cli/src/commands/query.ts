import {
  ClientError,
  type Query,
  type QueryPreview,
  type ResultFormat,
  type TimestampForm,
} from '@ploidy/client';
import { type Command, Option } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { readText, wholeNumber } from '../input.ts';
import { interruptible } from '../interrupt.ts';
import { localTarget } from '../local-target.ts';
import { beforeClosedOutput } from '../output.ts';
import { Progress } from '../progress.ts';
import { openSession, printResult, projectOf, type Session } from '../session.ts';
import { stateText } from '../state-text.ts';
import { alignedTable } from '../table.ts';
import { visible } from '../visible.ts';
import { cancelled } from './ingest.ts';
import { jsonOf, printChunks, printPage, printTable, tsvOf } from './query-rows.ts';

interface QueryOptions {
  project?: string;
  file?: string;
  format?: Format;
  timestamps?: TimestampForm;
  output?: string;
  keep?: boolean;
  save?: string;
  rows: number;
  dryRun?: boolean;
}

/** Formats of the output, each with the format of the result file that it is made of. */
const formats = {
  table: 'csv',
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  json: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow',
} as const satisfies Record<string, ResultFormat>;
type Format = keyof typeof formats;

/** Endings of the names of result files, by which tools recognise the format. */
const endings: Readonly<Record<ResultFormat, string>> = {
  csv: 'csv',
  parquet: 'parquet',
  arrow: 'arrows',
  ndjson: 'ndjson',
};
/** Rows of a page of the service. */
const pageRowsMax = 10_000;

export function addQuery(program: Command): void {
  program
    .command('query')
    .description('run one SQL statement; Ctrl-C cancels it')
    .argument('[sql]', 'statement; - for standard input')
    .option('-f, --file <path>', 'read the statement from a file')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .addOption(
      new Option(
        '--format <format>',
        'output format; by default from the --save name, else a table on a terminal and CSV elsewhere',
      ).choices(Object.keys(formats)),
    )
    .addOption(
      new Option(
        '--timestamps <form>',
        'in text: utc (the default) or exact, with all digits and no Z without a zone',
      ).choices(['utc', 'exact']),
    )
    .option('--save <path>', 'save the result in this file or folder')
    .option('--keep', 'keep the result file in the project')
    .option('--output <name>', 'keep the result file under this name')
    .option('--rows <n>', 'maximum number of rows in a printed table', wholeNumber, 200)
    .option('--dry-run', 'print the tables and columns of the statement without running it')
    .action(async (sql: string | undefined, options: QueryOptions, command: Command) => {
      const session = await openSession(command);
      const text = await statementOf(sql, options);
      const { id } = await projectOf(session, options.project);
      if (options.dryRun) {
        const preview = await session.client.previewQuery(id, text);
        printResult(session, preview, () => previewText(preview));
        return;
      }
      await answer(session, id, text, options);
    });
}

/** Runs a statement and prints or saves its rows. */
export async function answer(
  session: Session,
  project: string,
  sql: string,
  options: QueryOptions,
): Promise<void> {
  const format = options.format ?? defaultFormat(session, options);
  requireTarget(session, format, options);
  const isKept = options.keep === true || options.output !== undefined;
  const isShort = format === 'table' && !isKept && options.save === undefined && options.rows < pageRowsMax;
  if (isShort && (await showRows(session, project, sql, options))) return;
  const ending = endings[formats[format]];
  const output = options.output ?? newName(ending);
  const { save: place } = options;
  const target = place === undefined ? undefined : localTarget(place, options.output ?? `result.${ending}`);
  const query = await run(session, project, {
    sql,
    output,
    format: formats[format],
    timestamps: options.timestamps,
  });
  if (query.state !== 'succeeded')
    throw new CommandError(query.error?.message ?? `The query was ${query.state}.`);
  const id = query.resultFileId ?? query.id;
  const discard = async (): Promise<void> => {
    if (!isKept) await session.client.api.DELETE('/v1/files/{id}', { params: { path: { id } } });
  };
  beforeClosedOutput(discard);
  try {
    if (target !== undefined) await save(session, query, id, target);
    else await print(session, { query, sql, format, rowsMax: options.rows }, session.client.bytes(id));
  } catch (error) {
    // Output without a reader ends the process (output.ts), which discards the result.
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
    process.stderr.write(`${visible(`The result is in the project: ${id}  ${query.outputFileName}`)}\n`);
    throw error;
  }
  await discard();
}

function defaultFormat({ json }: Session, { save }: QueryOptions): Format {
  if (save === undefined) return json ? 'json' : process.stdout.isTTY ? 'table' : 'csv';
  const [format = 'csv'] = Object.entries(endings).find(([, ending]) => save.endsWith(`.${ending}`)) ?? [];
  return format as ResultFormat;
}

/** Names a result file: by the day, and unlike any other. */
function newName(ending: string): string {
  return `queries/${new Date().toISOString().slice(0, 10)}/${crypto.randomUUID()}.${ending}`;
}

async function statementOf(sql: string | undefined, { file }: QueryOptions): Promise<string> {
  if (file !== undefined && sql !== undefined) {
    throw new CommandError('Give a statement or -f FILE, not both.', exitCodes.usage);
  }
  if (sql === '-') return readText('-');
  if (sql !== undefined) return sql;
  if (file === undefined) throw new CommandError('Give a statement, -f FILE or -.', exitCodes.usage);
  return readText(file);
}

/** Refuses bytes on a terminal, and text that only this program writes in a saved file, before a query runs. */
function requireTarget({ json }: Session, format: Format, { save }: QueryOptions): void {
  if (json && save === undefined && format !== 'json')
    throw new CommandError(
      `--json prints JSON. Leave it out, or give --save PATH for ${format}.`,
      exitCodes.usage,
    );
  const isFile = format in endings;
  if (save !== undefined && !isFile) {
    const message = `--save writes csv, ndjson, parquet or arrow. Redirect the output for ${format}.`;
    throw new CommandError(message, exitCodes.usage);
  }
  if (save === undefined && process.stdout.isTTY && (format === 'parquet' || format === 'arrow'))
    throw new CommandError(`Give --save PATH for a result of format ${format}.`, exitCodes.usage);
}

/** Prints the first rows without a stored file. False where they take a query with a file. */
async function showRows(
  { client }: Session,
  project: string,
  sql: string,
  { rows: rowsMax, timestamps }: QueryOptions,
): Promise<boolean> {
  try {
    const page = await interruptible(
      (signal) => client.firstRows(project, sql, rowsMax + 1, signal, timestamps),
      async () => 'Interrupted.',
    );
    printPage(page, rowsMax);
    return true;
  } catch (error) {
    if (error instanceof ClientError && /^QUERY_(?:TIME|RESULT_SIZE)$/.test(error.code)) return false;
    throw error;
  }
}

interface NewQuery {
  sql: string;
  /** Name of the result file. */
  output: string;
  format: ResultFormat;
  timestamps: TimestampForm | undefined;
}

async function run(
  { client, json }: Session,
  project: string,
  { sql, output, format, timestamps }: NewQuery,
): Promise<Query> {
  const id = await client.query(project, sql, output, format, timestamps);
  const progress = new Progress('query', json);
  const ended = await interruptible(
    (signal) =>
      client.waitForQuery(id, {
        signal,
        onState: ({ progress: share = 0, startTime, state, waiting }) =>
          progress.update(
            share,
            1,
            waiting ? stateText({ state, waiting }) : `${Math.round((Date.now() - startTime) / 1000)} s`,
          ),
      }),
    async () => {
      progress.clear();
      return cancelled(() => client.cancelQuery(id), 'query');
    },
  );
  progress.end(`${ended.state}, ${ended.rowCount ?? 0} rows, ${(ended.endTime ?? 0) - ended.startTime} ms`);
  return ended;
}

/** Returns the columns that a statement would give, and under them what it reads. */
function previewText({ message, tables, masked, columns, estimatedRows }: QueryPreview): string {
  const lines = [
    message,
    `Tables: ${tables.join(', ') || '(none)'}${masked ? '; values are masked' : ''}`,
    ...(estimatedRows === undefined ? [] : [`Rows expected: ${estimatedRows}`]),
  ];
  if (columns)
    lines.unshift(
      alignedTable(
        ['column', 'type'],
        columns.map(({ name, type }) => [name, type]),
      ),
    );
  return lines.join('\n');
}

interface Printed {
  query: Query;
  sql: string;
  format: Format;
  rowsMax: number;
}

async function print(
  { client }: Session,
  { query, sql, format, rowsMax }: Printed,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  if (format === 'table') return printTable(query, bytes, rowsMax);
  if (format === 'tsv') return printChunks(tsvOf(bytes));
  if (format !== 'json') return printChunks(bytes);
  const { columns = [] } = await client.previewQuery(query.datasetId, sql);
  return printChunks(jsonOf({ ...query, columns }, bytes));
}

async function save(session: Session, query: Query, id: string, target: string): Promise<void> {
  await interruptible(
    (signal) => session.client.download(id, target, { signal }),
    async () => `Interrupted; ${target} was not written.`,
  );
  printResult(session, query, () => `Saved ${query.rowCount ?? 0} rows to ${visible(target)}.`);
}
