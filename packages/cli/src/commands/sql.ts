import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TableSchema } from '@ploidy/client';
import type { Command } from 'commander';
import { credentialsPath } from '../config.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { wholeNumber } from '../input.ts';
import { report } from '../report.ts';
import { openSession, projectOf, type Session } from '../session.ts';
import { statementsOf } from '../statements.ts';
import { alignedTable } from '../table.ts';
import { answer } from './query.ts';

const historyMax = 1000;
const keywords =
  'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN LEFT USING ON WITH AS AND OR NOT IN IS NULL LIKE BETWEEN CASE WHEN THEN ELSE END count DISTINCT HAVING UNION'.split(
    ' ',
  );
const help = `Statements end with ";". \\d lists the tables, \\d TABLE its columns, \\q or Ctrl-D ends.\n`;

export function addSql(program: Command): void {
  program
    .command('sql')
    .description('SQL prompt with history and Tab completion')
    .option('-p, --project <project>', 'id or name; the chosen project by default')
    .option('--rows <n>', 'maximum number of rows in a table', wholeNumber, 200)
    .allowExcessArguments()
    .action(async (options: { project?: string; rows: number }, command: Command) => {
      if (command.args.length > 0)
        throw new CommandError(
          'sql is a prompt. ploidy query "SELECT …" runs one statement.',
          exitCodes.usage,
        );
      const session = await openSession(command);
      const { id, name } = await projectOf(session, options.project);
      await prompt(session, { id, name, rows: options.rows });
    });
}

async function prompt(session: Session, project: { id: string; name: string; rows: number }): Promise<void> {
  const tables = await session.client.schemas(project.id);
  // Statements may name patients: only their owner may read them.
  const path = join(dirname(credentialsPath()), 'sql-history');
  const history = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY === true,
    prompt: process.stdin.isTTY ? `${project.name}> ` : '',
    history: history.toReversed(),
    historySize: historyMax,
    completer: (line: string) => completions(line, tables),
  });
  const isTerminal = process.stdin.isTTY === true;
  const showPrompt = (): void => (isTerminal ? lines.prompt() : undefined);
  if (isTerminal) process.stdout.write(help);
  let statement = '';
  showPrompt();
  for await (const line of lines) {
    const isCommand = statement.trim() === '' && line.trim().startsWith('\\');
    if (isCommand && line.trim() === '\\q') break;
    const { complete, rest } = isCommand
      ? { complete: [line.trim()], rest: '' }
      : statementsOf(`${statement}${line}\n`);
    statement = rest.trim() === '' ? '' : rest;
    for (const text of complete) {
      if (isTerminal) history.push(isCommand ? text : `${text.replaceAll('\n', ' ')};`);
      await runOne(session, project, text, tables);
    }
    showPrompt();
  }
  lines.close();
  if (statement.trim() !== '') await runOne(session, project, statement.trim(), tables);
  if (isTerminal) writeFileSync(path, `${history.slice(-historyMax).join('\n')}\n`, { mode: 0o600 });
}

/** Runs one statement or command; an error of it does not end the prompt. */
async function runOne(
  session: Session,
  { id, rows }: { id: string; rows: number },
  text: string,
  tables: TableSchema[],
): Promise<void> {
  try {
    if (text.startsWith('\\')) process.stdout.write(`${described(text, tables)}\n`);
    else await answer(session, id, text, { rows });
  } catch (error) {
    report(error, session.json);
    if (!process.stdin.isTTY) throw new CommandError('A statement failed; later ones were not run.');
  }
}

function described(text: string, tables: TableSchema[]): string {
  const [word, name] = text.split(/\s+/);
  if (word !== '\\d') return help.trimEnd();
  if (name === undefined) {
    const rows = tables.map(({ table, columns }) => [table, String(columns.length)]);
    return alignedTable(['table', 'columns'], rows);
  }
  const found = tables.find(({ table }) => table === name);
  if (!found) return `There is no table "${name}".`;
  return alignedTable(
    ['column', 'type'],
    found.columns.map((column) => [column.name, column.type]),
  );
}

/** Completes the last word with tables, columns of all tables, and keywords. */
function completions(line: string, tables: readonly TableSchema[]): [string[], string] {
  const [word = ''] = /(?<![\w.])[\w.]+$/.exec(line) ?? [];
  const last = word.slice(word.lastIndexOf('.') + 1);
  const names = tables.flatMap(({ table, columns }) => [table, ...columns.map(({ name }) => name)]);
  const all = new Set(word.includes('.') ? names : [...names, ...keywords]);
  const start = last.toLowerCase();
  return [[...all].filter((name) => last !== '' && name.toLowerCase().startsWith(start)).sort(), last];
}
