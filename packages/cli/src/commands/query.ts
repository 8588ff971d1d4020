import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import type { Query, QueryPreview } from '@ploidy/client';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { localTarget } from '../local-target.ts';
import { Progress } from '../progress.ts';
import { openSession, projectOf, type Session, say } from '../session.ts';
import { alignedTable } from '../table.ts';
import { visible } from '../visible.ts';
import { cancelled } from './ingest.ts';
import { printCsv, printJson, printTable } from './query-rows.ts';

interface QueryOptions {
  project?: string;
  file?: string;
  csv?: boolean;
  output: string;
  save?: string;
  rows: number;
  dryRun?: boolean;
}

export function addQuery(program: Command): void {
  program
    .command('query')
    .description('ask one SQL question; Ctrl-C cancels it')
    .argument('[sql]', 'the statement; - for standard input')
    .option('-f, --file <path>', 'read the statement from a file')
    .option('-p, --project <project>', 'id or name')
    .option('--csv', 'print CSV also on a terminal')
    .option('--output <name>', 'name of the result file in the project', 'queries/ploidy-cli.csv')
    .option('--save <path>', 'file or folder to save the CSV in, instead of printing it')
    .option('--rows <n>', 'most rows of a printed table', wholeNumber, 200)
    .option('--dry-run', 'tell what the statement would read and give; runs nothing')
    .action(async (sql: string | undefined, options: QueryOptions, command: Command) => {
      const session = await openSession(command);
      const text = await statementOf(sql, options);
      const { id } = await projectOf(session, options.project);
      if (options.dryRun) {
        const preview = await session.client.previewQuery(id, text);
        say(session, preview, () => previewText(preview));
        return;
      }
      const target = options.save === undefined ? undefined : localTarget(options.save, options.output);
      const query = await run(session, id, text, options.output);
      if (query.state !== 'succeeded')
        throw new CommandError(query.error?.message ?? `The query was ${query.state}.`);
      await show(session, query, { ...options, target });
    });
}

function wholeNumber(word: string): number {
  if (!/^\d{1,9}$/.test(word)) throw new InvalidArgumentError('It should be a whole number.');
  return Number(word);
}

async function statementOf(sql: string | undefined, { file }: QueryOptions): Promise<string> {
  if (file !== undefined && sql !== undefined) {
    throw new CommandError('Give a statement or -f FILE, not both.', exitCodes.usage);
  }
  if (sql === '-' || file === '-') return textOf(process.stdin);
  if (sql !== undefined) return sql;
  if (file === undefined) throw new CommandError('Give a statement, -f FILE or -.', exitCodes.usage);
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`, exitCodes.usage);
  }
}

async function run({ client, json }: Session, project: string, sql: string, output: string): Promise<Query> {
  const id = await client.query(project, sql, output);
  const progress = new Progress('query', json);
  const ended = await interruptible(
    (signal) =>
      client.waitForQuery(id, {
        signal,
        onState: ({ progress: share = 0, startTime }) =>
          progress.update(share, 1, `${Math.round((Date.now() - startTime) / 1000)} s`),
      }),
    async () => {
      progress.clear();
      return cancelled(() => client.cancelQuery(id), 'query');
    },
  );
  progress.end(`${ended.state}, ${ended.rowCount ?? 0} rows, ${(ended.endTime ?? 0) - ended.startTime} ms`);
  return ended;
}

/** The columns that a statement would give, and under them what it reads. */
function previewText({ message, tables, masked, columns, estimatedRows }: QueryPreview): string {
  const told = [
    message,
    `Tables: ${tables.join(', ') || '(none)'}${masked ? '; values are masked' : ''}`,
    ...(estimatedRows === undefined ? [] : [`Rows expected: ${estimatedRows}`]),
  ];
  if (columns)
    told.unshift(
      alignedTable(
        ['column', 'type'],
        columns.map(({ name, type }) => [name, type]),
      ),
    );
  return told.join('\n');
}

/** Prints or saves the result; where that fails, says where it lies. */
async function show(
  session: Session,
  query: Query,
  { target, csv, rows }: QueryOptions & { target: string | undefined },
): Promise<void> {
  const { client, json } = session;
  const id = query.resultFileId ?? query.id;
  try {
    if (target !== undefined) await save(session, query, id, target);
    else if (json) await printJson(query, client.bytes(id));
    else if (csv || !process.stdout.isTTY) await printCsv(client.bytes(id));
    else await printTable(query, client.bytes(id), rows);
  } catch (error) {
    process.stderr.write(`${visible(`The result is in the project: ${id}  ${query.outputFileName}`)}\n`);
    throw error;
  }
}

async function save(session: Session, query: Query, id: string, target: string): Promise<void> {
  await interruptible(
    (signal) => session.client.download(id, target, { signal }),
    async () => `Interrupted; ${target} was not written.`,
  );
  say(session, query, () => `Saved ${query.rowCount ?? 0} rows to ${visible(target)}.`);
}
