/** Frozen data folders of released versions, one folder each beside this one. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { migrations } from '../../../packages/server/src/platform/records/migrations/index.ts';
import { type Files, unpack } from './archive.ts';
import type { Answered } from './questions.ts';
import type { Sender } from './scenario.ts';
import type { Credentials } from './signing-in.ts';
import type { Steps } from './steps.ts';

const folder = dirname(import.meta.dirname);

/** Facts that a release wrote about itself before its service was killed. */
export interface Expected {
  version: string;
  /** Epoch milliseconds. */
  madeAt: number;
  settings: Record<string, string>;
  senders: Record<string, Sender>;
  /** Credentials of the administrator, and a refresh token of a sign-in. */
  credentials: Credentials;
  refreshToken: string;
  questions: Answered[];
  /** Paths of ingestions and queries that ran or waited. */
  unfinished: string[];
  /** Rows of the project of the unfinished ingestions, once they have ended. */
  afterwards: { projectId: string; patients: number; observations: number };
}

export interface Frozen {
  files: Files;
  expected: Expected;
}

/** Versions with a frozen folder, oldest first. */
export const releases: readonly string[] = readdirSync(folder)
  .filter((name) => /^\d+\.\d+\.\d+$/.test(name))
  .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

export function frozen(version: string, store: 'sqlite' | 'postgres'): Frozen {
  const files = unpack(readFileSync(join(folder, version, `${store}.br`)));
  return { files, expected: JSON.parse(String(files.get('expected.json'))) };
}

export function frozenSteps(version: string): Steps {
  return JSON.parse(readFileSync(join(folder, version, 'migrations.json'), 'utf8'));
}

/** Versions whose processes do not work on records of this one: they lack a step that is not beside. */
export const refusingReleases: readonly string[] = releases.filter((release) => {
  const then = frozenSteps(release).sqlite;
  return Object.entries(migrations).some(
    ([name, { beside }]) => !Object.hasOwn(then, name) && beside === undefined,
  );
});
