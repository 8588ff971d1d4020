/** Lines of the pages for operators: commands with what the page shows below them, and settings. */
import { type Block, blocksFor } from './claims.ts';

/** A command of a document, and the output that the document shows for it. */
export interface Line {
  at: string;
  /** Without a prompt and `sudo`; a command over several lines is one. */
  command: string;
  output: string;
}

/** Programs that the trial runs as written, below a folder instead of `/`. */
const run = new Set(['ploidy', 'cat', 'cp', 'install', 'curl', 'cd', 'npm']);
/** Programs that change the machine: the trial runs them as scripts that keep their arguments, and compares what they leave. */
export const replaced = ['systemctl', 'useradd', 'nginx'] as const;

/** Reasons why the trial does not run a command, each with what has to be true of it. */
const reasons: readonly { reason: string; of: (command: string) => boolean }[] = [
  {
    reason: 'runs in a checkout, before the trial; test/release/commands.trial.ts runs it there',
    of: (command) => /^npm ci(?: && npm run pack)?$/.test(command),
  },
  {
    reason: 'needs a daemon; test/deploy/files.stress.test.ts reads the files with the tools that do',
    of: (command) => programsOf(command).every((program) => program === 'docker'),
  },
  {
    reason: 'asks another host of the example than the service; settings are read by claims.test.ts',
    of: (command) => /\b(?!ploidy\.)\w+\.example\.org/.test(command),
  },
  { reason: 'is an address for a browser', of: (command) => command.startsWith('https://') },
];

/** Reason why the trial leaves a command out; `undefined` for one that it runs. */
export function reasonFor(command: string): string | undefined {
  return reasons.find(({ of }) => of(command))?.reason;
}

/** Reasons that no command has. */
export function unusedReasons(): string[] {
  const lines = operateLines();
  return reasons.filter(({ of }) => !lines.some(({ command }) => of(command))).map(({ reason }) => reason);
}

/** Programs of a command that the trial neither runs nor replaces. */
export function unknownPrograms(command: string): string[] {
  return programsOf(command).filter(
    (program) => !run.has(program) && !(replaced as readonly string[]).includes(program),
  );
}

function programsOf(command: string): string[] {
  const bare = command.replaceAll(/"[^"]*"|'[^']*'/g, 'text');
  return bare.split(/\s*&&\s*/).map((part) => part.split(/\s+/).find((word) => !/^\w+=/.test(word)) ?? '');
}

/** Reports whether all lines of a block are settings. */
export const isSettings = ({ code }: Block): boolean =>
  code
    .trim()
    .split('\n')
    .every((line) => /^PLOIDY_\w+=("[^"]*"|\S+)$/.test(line));

/** Returns all commands of docs/operate, in the order of the pages. */
export function operateLines(): Line[] {
  return operateBlocks()
    .filter((block) => !isSettings(block))
    .flatMap(linesOf);
}

/** Blocks of docs/operate that the trial has to run; those of YAML are files that commands read. */
export function operateBlocks(language = ''): Block[] {
  return blocksFor(new URL('../release/operate.trial.ts', import.meta.url).pathname).filter(
    (block) => block.language === language,
  );
}

/** Commands of a block. */
export function linesOf({ at, code }: Block): Line[] {
  const found: Line[] = [];
  let isContinued = false;
  for (const line of code.split('\n').filter((one) => one.trim() !== '')) {
    const last = isContinued ? found.at(-1) : undefined;
    if (last === undefined || line.startsWith('$ ')) found.push({ at, command: line, output: '' });
    else if (last.command.endsWith('\\')) last.command = `${last.command.slice(0, -1)}${line.trim()}`;
    else if (isQuoteOpen(last.command)) last.command += `\n${line}`;
    else last.output += `${line}\n`;
    const { command: shown = '' } = found.at(-1) ?? {};
    isContinued = shown.startsWith('$ ') || shown.endsWith('\\') || isQuoteOpen(shown);
  }
  return found.map((one) => ({ ...one, command: one.command.replace(/^\$ |^sudo /, '') }));
}

/** Reports whether a line of a shell ends within single quotes, but for apostrophes in double ones. */
const isQuoteOpen = (line: string): boolean =>
  (line.replaceAll(/"[^"]*"/g, '').split("'").length - 1) % 2 === 1;
