import type { Config } from './config.ts';

/** The address under which clients reach the service; known for certain only once it listens. */
export class Address {
  #url: string;
  readonly #configured: string;

  constructor(config: Config) {
    this.#configured = config.publicUrl.replace(/\/+$/, '');
    this.#url = this.#configured;
  }

  listening(url: string): string {
    this.#url = this.#configured || url.replace('0.0.0.0', '127.0.0.1').replace('[::]', 'localhost');
    return this.#url;
  }

  readonly get = (): string => this.#url;
}
