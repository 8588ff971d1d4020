import { spawnSync } from 'node:child_process';

/** Reason why tests against samtools are skipped, or `false`. With `CI=true` they fail instead. */
export const samtoolsSkip: string | false =
  process.env['CI'] === 'true' || spawnSync('samtools', ['--version']).status === 0
    ? false
    : 'samtools is not installed';
