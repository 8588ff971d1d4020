import { parseArgs } from 'node:util';
import type { App } from './app/app.ts';
import { hostRemedy } from './app/start/host-failure.ts';
import { introductionOf } from './app/start/introduction.ts';
import { closeToOthers } from './app/start/open-to-others.ts';
import { refuseRoot } from './app/start/refuse-root.ts';
import { endOnUncaught } from './app/start/uncaught.ts';
import { reasonOf } from './base/reason.ts';
import { build } from './base/version.ts';
import {
  type Config,
  ConfigError,
  configFileIn,
  readCollector,
  readConfig,
  retiredSettings,
} from './config/config.ts';
import { type Logger, openLog } from './platform/log/log.ts';

/** Runs `serve`, the service until SIGINT, SIGTERM or SIGHUP, or `admin …`, for operators with access to the data folder. */
export async function main(command: string, words: string[]): Promise<number> {
  const options = command === 'serve' ? readOptions(words) : {};
  if (typeof options === 'number') return options;
  const config = settingsOrUndefined(options);
  if (!config) return 2;
  if (command === 'admin') {
    const { runAdmin } = await import('./admin/admin-command.ts');
    return runAdmin(config, words);
  }
  return serve(config);
}

const serveUsage = `Usage: ploidy serve [options]

Runs the service until SIGINT, SIGTERM or SIGHUP.

Options:
  --port <number>  port to listen on, instead of PLOIDY_PORT
  --data <folder>  data folder, instead of PLOIDY_DATA_DIR
  --help           print this help

All other settings are environment variables, or lines of the file that PLOIDY_CONFIG_FILE names; "ploidy admin docs configuration" lists them.

Examples:
  ploidy serve
  ploidy serve --port 9000 --data /var/lib/ploidy
`;

/**
 * Reads the options of `serve` as settings. Returns an exit code after printing help, and for others: a mistyped
 * option must not start a service.
 */
function readOptions(words: string[]): NodeJS.ProcessEnv | number {
  try {
    const options = {
      port: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    const { port, data, help } = parseArgs({ args: words, options }).values;
    if (help) process.stdout.write(serveUsage);
    if (help) return 0;
    return {
      ...(port !== undefined && { PLOIDY_PORT: port }),
      ...(data !== undefined && { PLOIDY_DATA_DIR: data }),
    };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n${serveUsage}`);
    return 2;
  }
}

function settingsOrUndefined(options: NodeJS.ProcessEnv): Config | undefined {
  try {
    return readConfig(undefined, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

async function serve(config: Config): Promise<number> {
  const log = openLog(config.logLevel);
  log.info(build, 'starting');
  endOnUncaught(log);
  // The output may be closed (`serve | head`) or its disk full.
  process.stdout.on('error', () => undefined);
  const orphaned = launcherGone();
  const collector = readCollector();
  const tracer = collector
    ? new (await import('./platform/log/tracer.ts')).Tracer(collector, log)
    : undefined;
  const started = await startOrUndefined(config, log);
  if (!started) return 1;
  const { app, stopping } = started;
  const reason = await Promise.race([stopping, orphaned, app.failed]);
  if (reason instanceof Error) tellFatal(log, reason, 'go on');
  else log.info({ signal: reason }, 'stopping: requests in flight may finish, jobs hand back their leases');
  await app.stop();
  await tracer?.stop();
  return reason instanceof Error ? 1 : 0;
}

function tellFatal(log: Logger, error: unknown, what: 'start' | 'go on'): void {
  log.fatal({ err: error }, `the service could not ${what}`);
  const lines = [`Ploidy could not ${what}: ${reasonOf(error)}`, hostRemedy(error)];
  process.stderr.write(`${lines.filter(Boolean).join('\n')}\n`);
}

/** Service that listens, and the first signal to stop it. */
interface Started {
  app: App;
  stopping: Promise<NodeJS.Signals>;
}

async function startOrUndefined(config: Config, log: Logger): Promise<Started | undefined> {
  let app: App | undefined;
  try {
    refuseRoot(config);
    closeToOthers({ ...config, configFile: configFileIn() }, log);
    for (const sentence of retiredSettings()) log.warn(sentence);
    const { createApp } = await import('./app/app.ts');
    app = await createApp(config, log);
    const { baseUrl, firstRun } = await app.start();
    if (firstRun) {
      const isTerminal = process.stdout.isTTY === true;
      process.stdout.write(introductionOf(firstRun, isTerminal, config.dataFolder));
    }
    // A signal right after the line must find its listener.
    const stopping = stopSignal();
    process.stdout.write(`Ploidy listens on ${baseUrl} (API description: ${baseUrl}/docs)\n`);
    return { app, stopping };
  } catch (error) {
    tellFatal(log, error, 'start');
    // Idle processes and connections would keep this process alive.
    await app?.stop();
    return undefined;
  }
}

/**
 * Waits for the first signal to stop. Further ones are ignored: Ctrl-C may arrive twice, from the terminal
 * and through bin/ploidy.js.
 */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Closing a terminal sends SIGHUP, which would end the process without a listener.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
  });
}

/** Detects that bin/ploidy.js was killed on an older Node and cannot forward a signal: its channel ends, perhaps before the start. */
function launcherGone(): Promise<'disconnect'> {
  return new Promise((resolve) => {
    if (!process.channel) return;
    process.once('disconnect', () => resolve('disconnect'));
    // The open channel must not keep a stopped service alive.
    process.channel.unref();
  });
}
