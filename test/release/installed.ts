/** The packed packages, installed into empty folders. */
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { npm } from '../../release/build.ts';
import { archiveOf, pack } from '../../release/pack.ts';
import { cleanEnvironment } from '../support/server.ts';

export interface Folder {
  folder: string;
  remove(): void;
}

/** Packs a release of this checkout into a folder of its own, or returns the one in PLOIDY_RELEASE (`npm run release`). */
export function packed(): Folder {
  const made = process.env['PLOIDY_RELEASE'];
  if (made !== undefined) return { folder: made, remove: () => undefined };
  const whole = mkdtempSync(join(tmpdir(), 'ploidy-release-'));
  const folder = join(whole, 'build/release');
  pack(dirname(folder));
  return { folder, remove: () => remove(whole) };
}

/** Makes an empty folder and installs packages of a release and others there. */
export function installed(release: string, names: string[], others: string[] = []): Folder {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-installed-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const archives = names.map((name) => join(release, archiveOf(name)));
  npm('install', '--prefix', folder, '--no-audit', '--no-fund', ...archives, ...others);
  return { folder, remove: () => remove(folder) };
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Runs a program in a folder without the settings of this process; answers what it prints. Throws when it fails. */
export function runIn(
  folder: string,
  program: string,
  words: string[],
  { env, ...options }: ExecFileSyncOptions = {},
): string {
  const environment = { ...cleanEnvironment(), ...env };
  const bounded = { cwd: folder, env: environment, stdio: 'pipe', timeout: 120_000, ...options } as const;
  return String(execFileSync(program, words, bounded));
}
