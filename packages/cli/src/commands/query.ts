import { readFileSync } from 'node:fs';
import type { Query } from '@ploidy/client';
import type { Command } from 'commander';
import { parseCsv } from '../csv.ts';
import { CommandError, exitCodes, Interrupted } from '../exit.ts';
import { Progress } from '../progress.ts';
import { interruptSignal, openSession, projectOf, type Session, say, sayList } from '../session.ts';
import { alignedTable } from '../table.ts';

interface QueryOptions {
  project?: string;
  file?: string;
  csv?: boolean;
  output: string;
  save?: string;
  rows: string;
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
    .option('--save <path>', 'save the CSV locally instead of printing it')
    .option('--rows <n>', 'most rows of a printed table', '200')
    .action(async (sql: string | undefined, options: QueryOptions, command: Command) => {
      const session = openSession(command);
      const text = statementOf(sql, options);
      const { id } = await projectOf(session, options.project);
      const query = await run(session, id, text, options.output);
      if (query.state !== 'succeeded')
        throw new CommandError(query.error?.message ?? `The query was ${query.state}.`);
      await show(session, query, options);
    });
  const queries = program.command('queries').description('history of the queries of a project');
  queries
    .command('ls')
    .description('list them, newest first')
    .option('-p, --project <project>', 'id or name')
    .action(async (options: { project?: string }, command: Command) => {
      const session = openSession(command);
      const { id } = await projectOf(session, options.project);
      const items = await Array.fromAsync(session.client.queries(id));
      sayList(session, items, ['id', 'state', 'rows', 'result file', 'started'], (query) => [
        query.id,
        query.state,
        String(query.rowCount ?? ''),
        query.outputFileName,
        new Date(query.startTime).toISOString(),
      ]);
    });
  queries
    .command('show')
    .argument('<id>')
    .description('show one with its statement')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command);
      const query = await session.client.queryState(id);
      const sql = Buffer.from(query.queryString, 'base64').toString();
      say(
        session,
        query,
        () => `${query.state}  ${query.outputFileName}\n${query.error?.message ?? ''}\n${sql}`,
      );
    });
  queries
    .command('cancel')
    .argument('<id>')
    .description('cancel a running one')
    .action(async (id: string, _options: object, command: Command) => {
      const session = openSession(command);
      const query = await session.client.cancelQuery(id);
      say(session, query, () => 'Cancelled.');
    });
}

function statementOf(sql: string | undefined, options: QueryOptions): string {
  if (options.file) return readFileSync(options.file, 'utf8');
  if (sql === '-') return readFileSync(0, 'utf8');
  if (sql === undefined) throw new CommandError('Give a statement, -f FILE or -.', exitCodes.usage);
  return sql;
}

async function run(session: Session, project: string, sql: string, output: string): Promise<Query> {
  const { client } = session;
  const id = await client.query(project, sql, output);
  const progress = new Progress('query', session.json);
  const interrupt = interruptSignal();
  try {
    const ended = await client.waitForQuery(id, {
      signal: interrupt.signal,
      onState: ({ progress: share = 0 }) => progress.update(share, 1),
    });
    progress.end(`${ended.state}, ${ended.rowCount ?? 0} rows, ${(ended.endTime ?? 0) - ended.startTime} ms`);
    return ended;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    await client.cancelQuery(id);
    throw new Interrupted('Interrupted; the query was cancelled and left no result.');
  } finally {
    interrupt.done();
  }
}

async function show(session: Session, query: Query, options: QueryOptions): Promise<void> {
  const { client } = session;
  const id = query.resultFileId ?? query.id;
  if (options.save) {
    await client.download(id, options.save);
    say(session, query, () => `Saved ${query.rowCount ?? 0} rows to ${options.save}.`);
    return;
  }
  if (!session.json && (options.csv || !process.stdout.isTTY)) {
    await client.download(id, process.stdout);
    return;
  }
  const [headings = [], ...rows] = parseCsv(await client.readText(id), Number(options.rows) + 1);
  if (session.json) {
    const records = rows.map((row) => Object.fromEntries(headings.map((name, at) => [name, row[at] ?? ''])));
    say(session, { ...query, rows: records }, () => '');
    return;
  }
  const more = (query.rowCount ?? 0) - rows.length;
  process.stdout.write(
    `${alignedTable(headings, rows)}\n${more > 0 ? `… ${more} more rows in the file\n` : ''}`,
  );
}
