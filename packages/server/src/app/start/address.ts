import { hasCode } from '../../base/error-code.ts';
import type { Config } from '../../config/config.ts';

/** Public address of the service; certain only once it listens. */
export class Address {
  #url: string;
  readonly #configured: string;
  readonly #isSecure: boolean;

  constructor(config: Config) {
    this.#configured = config.publicUrl;
    this.#url = this.#configured;
    this.#isSecure = config.tlsCertificate !== '';
  }

  listening(given: string): string {
    const url = this.#isSecure ? given.replace(/^http:/, 'https:') : given;
    this.#url = this.#configured || url.replace('0.0.0.0', '127.0.0.1').replace('[::]', 'localhost');
    return this.#url;
  }

  readonly get = (): string => this.#url;
}

/** Explains why the service cannot listen at its address, with the setting to change. */
export function listenError(
  error: unknown,
  { host, port }: Pick<Config, 'host' | 'port'>,
  variable = 'PLOIDY_PORT',
): Error {
  const reason = (text: string): Error => new Error(text, { cause: error });
  if (hasCode(error, 'EADDRINUSE'))
    return reason(`Another program listens on ${host}:${port}: stop it, or choose another ${variable}.`);
  if (hasCode(error, 'EACCES'))
    return reason(`Port ${port} needs rights of root: choose a ${variable} from 1024 behind a proxy.`);
  if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND'))
    return reason(`PLOIDY_HOST is ${host}, which is no address of this computer.`);
  return reason(`The service cannot listen on ${host}:${port}.`);
}
