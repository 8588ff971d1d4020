import { spawnSync } from 'node:child_process';

/** Why tests against samtools are skipped, or `false`. With `CI=true` they are not: they fail. */
export const samtoolsSkip: string | false =
  process.env['CI'] === 'true' || spawnSync('samtools', ['--version']).status === 0
    ? false
    : 'samtools is not installed';
