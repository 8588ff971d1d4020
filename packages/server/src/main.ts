import type { App } from './app.ts';
import { type Config, ConfigError, configFileIn, readConfig } from './config.ts';
import { type Logger, openLog } from './log.ts';
import { warnOfOthers } from './open-to-others.ts';
import { reasonOf } from './reason.ts';
import { refuseRoot } from './refuse-root.ts';
import { endOnUncaught } from './uncaught.ts';

/** `serve`: runs the service until SIGINT, SIGTERM or SIGHUP. `admin …`: commands for whoever can read the data folder. */
export async function main(command: string, words: string[]): Promise<number> {
  const config = settingsOrUndefined();
  if (!config) return 2;
  if (command === 'admin') {
    const { runAdmin } = await import('./admin-command.ts');
    return runAdmin(config, words);
  }
  return serve(config);
}

function settingsOrUndefined(): Config | undefined {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return undefined;
  }
}

async function serve(config: Config): Promise<number> {
  const log = openLog(config.logLevel);
  endOnUncaught(log);
  warnOfOthers({ configFile: configFileIn(), dataFolder: config.dataFolder }, log);
  // Nobody may be listening to what the start says: `serve | head`, a full disk.
  process.stdout.on('error', () => undefined);
  const orphaned = launcherGone();
  const app = await startOrUndefined(config, log);
  if (!app) return 1;
  const reason = await Promise.race([stopSignal(), orphaned, app.failed]);
  if (reason instanceof Error) tellFatal(log, reason, 'go on');
  else log.info({ signal: reason }, 'stopping: requests in flight may finish, jobs hand back their leases');
  await app.stop();
  return reason instanceof Error ? 1 : 0;
}

function tellFatal(log: Logger, error: unknown, what: 'start' | 'go on'): void {
  log.fatal({ err: error }, `the service could not ${what}`);
  process.stderr.write(`Ploidy could not ${what}: ${reasonOf(error)}\n`);
}

async function startOrUndefined(config: Config, log: Logger): Promise<App | undefined> {
  let app: App | undefined;
  try {
    refuseRoot(config);
    const { createApp } = await import('./app.ts');
    app = await createApp(config, log);
    const { baseUrl, firstRun } = await app.start();
    if (firstRun) {
      process.stdout.write(
        [
          '',
          'Ploidy is set up. This is shown once; it is also in first-run.json in the data folder.',
          `  address   ${firstRun.baseUrl}`,
          `  account   ${firstRun.account}`,
          `  user      ${firstRun.user}`,
          `  API key   ${firstRun.apiKey}`,
          `  password  ${firstRun.signInUrl}`,
          '',
          '',
        ].join('\n'),
      );
    }
    process.stdout.write(`Ploidy listens on ${baseUrl} (API description: ${baseUrl}/docs)\n`);
    return app;
  } catch (error) {
    tellFatal(log, error, 'start');
    // Its idle processes and connections would keep this process alive.
    await app?.stop();
    return undefined;
  }
}

/** The first signal to stop. Later ones change nothing: Ctrl-C may come twice, from the terminal and through bin/ploidy.js. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // A terminal that is closed hangs up: without a listener that would be a crash.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, resolve);
  });
}

/** bin/ploidy.js on an older Node was killed and could hand over no signal: its channel has ended, perhaps before the service had started. */
function launcherGone(): Promise<'disconnect'> {
  return new Promise((resolve) => {
    if (!process.channel) return;
    process.once('disconnect', () => resolve('disconnect'));
    // The service that was stopped shall end, though the channel is open.
    process.channel.unref();
  });
}
