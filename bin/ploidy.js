#!/usr/bin/env node
// Runs on any Node ≥ 20: hands over to the Node 26 that was installed with the project (docs/adr/0001). What is imported here is in Node 20.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = '', ...words] = process.argv.slice(2);

if (Number(process.versions.node.split('.')[0]) >= 26) {
  const { enableCompileCache, registerHooks } = await import('node:module');
  // Every later start finds the code compiled: half the time of a command, and of each process of the engine.
  enableCompileCache(join(root, 'node_modules', '.cache', 'ploidy'));
  // A path in an import is the whole path (ECMAScript modules have no other): to look on the disk what it means takes a quarter of a command.
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && context.conditions.includes('import')
        ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
        : next(specifier, context),
  });
  const onHost = command === 'serve' || command === 'admin';
  const { main } = await import(onHost ? '../packages/server/src/main.ts' : '../packages/cli/src/main.ts');
  process.exitCode = onHost ? await main(command, words) : await main(process.argv.slice(2));
} else {
  const name = process.platform === 'win32' ? 'node.cmd' : 'node';
  const node = join(root, 'node_modules', '.bin', name);
  if (!existsSync(node)) {
    process.stderr.write(
      `Ploidy runs on Node 26, which "npm ci" installs with it; there is none for ${process.platform}-${process.arch}. ` +
        'Run "npm ci" in the project, or start it with a Node 26 of your own.\n',
    );
    process.exit(1);
  }
  const isWindows = process.platform === 'win32';
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // By the channel a service notices that whoever started it was killed, and stops.
    stdio: ['inherit', 'inherit', 'inherit', ...(isWindows ? [] : ['ipc'])],
    shell: isWindows,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
