import { spawn } from 'node:child_process';
import { freePort } from '../test/support/free-port.ts';
import { until } from '../test/support/until.ts';
import { isSkipped } from './programs.ts';
import { type Service, startService } from './service.ts';

/** Starts the service behind Caddy; alone, with a message, where Caddy is not installed. */
export async function startBehindCaddy(): Promise<Service> {
  if (isSkipped('the proxy', ['caddy'])) return startService();
  const address = `http://127.0.0.1:${await freePort()}`;
  const port = await freePort();
  const service = await startService({ PLOIDY_PUBLIC_URL: address, PLOIDY_PORT: String(port) });
  const caddy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  caddy.stdin.end(configuration(address, `127.0.0.1:${port}`));
  const stop = async (): Promise<void> => {
    caddy.kill('SIGTERM');
    await service.stop();
  };
  const isUp = (): Promise<boolean> =>
    service.call('GET', '/v1/projects').then(
      () => true,
      () => false,
    );
  await until(isUp, 'caddy answers').catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { ...service, stop };
}

/** Configuration like `deploy/proxy/Caddyfile`, for one process at a fixed address. */
const configuration = (site: string, upstream: string): string =>
  `{\n\tadmin off\n}\n${site} {\n\treverse_proxy ${upstream} {\n\t\tflush_interval -1\n\t}\n}\n`;
