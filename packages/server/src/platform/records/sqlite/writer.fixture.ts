import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/**
 * Process that writes to the records of a folder without end, several at a time. It names each acknowledged write on standard
 * output.
 */
export function startWriter(folder: string, name: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['--input-type=module', '-e', textOf(folder, name)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

const textOf = (folder: string, name: string): string => `
  const { openRecords } = await import(${JSON.stringify(new URL('../open.ts', import.meta.url).href)});
  const log = { info() {}, warn() {}, error() {} };
  const records = await openRecords({ folder: ${JSON.stringify(folder)}, log });
  let number = 0;
  const write = async () => {
    for (;;) {
      const topic = ${JSON.stringify(name)} + '-' + number++;
      await records.transact((tx) => records.announce(tx, topic));
      process.stdout.write(topic + '\\n');
    }
  };
  for (let lane = 0; lane < 8; lane += 1) write();
`;
