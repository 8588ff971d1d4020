import type { Config } from '../../config/config.ts';
import { type ProbeDeps, Probes } from '../../http/probes/probes.ts';
import type { Logger } from '../../platform/log/log.ts';
import { listenError } from './address.ts';

/** Opens the listener for probes where there is a port for it; returns its address. */
export async function openProbes(
  { config, log, ...deps }: ProbeDeps & { config: Config; log: Logger },
  closers: (() => Promise<void> | void)[],
): Promise<string | undefined> {
  const { host, probesPort, silenceMaxMs } = config;
  if (probesPort === undefined) return undefined;
  const opening = Probes.open({ host, port: probesPort, silenceMaxMs }, { ...deps, log });
  const probes = await opening.catch((error: unknown) => {
    throw listenError(error, { host, port: probesPort }, 'PLOIDY_PROBES_PORT');
  });
  closers.push(() => probes.close());
  log.info({ port: probes.port }, 'probes are answered at a port of their own');
  return `http://${host.includes(':') ? `[${host}]` : host}:${probes.port}`;
}
