import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment } from './server.ts';

const program = join(import.meta.dirname, '../../bin/ploidy.js');

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Started {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Runs `ploidy …` as a user with a home folder of its own. */
export interface CommandLine {
  /** Folder of the user's configuration and files. */
  home: string;
  start(words: string[], options?: { input?: string; env?: Record<string, string> }): Started;
  run(...words: string[]): Promise<Ended>;
  /** Runs a command with `--json` and parses its output; fails unless it succeeds. */
  json(...words: string[]): Promise<ReturnType<typeof JSON.parse>>;
  remove(): void;
}

export function commandLine(): CommandLine {
  const home = mkdtempSync(join(tmpdir(), 'ploidy-home-'));
  const start: CommandLine['start'] = (words, { input = '', env = {} } = {}) => {
    const environment = { ...cleanEnvironment(), XDG_CONFIG_HOME: home, ...env };
    const child = spawn(process.execPath, [program, ...words], { env: environment });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.stdin.end(input);
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
    return { child, ended };
  };
  const run: CommandLine['run'] = (...words) => start(words).ended;
  return {
    home,
    start,
    run,
    json: async (...words) => {
      const { code, out, err } = await run(...words, '--json');
      assert.equal(code, 0, err);
      return JSON.parse(out);
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}
