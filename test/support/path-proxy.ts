import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestApp } from './app.ts';

/** Path of the service on the host of the proxy. */
export const publicPath = '/ploidy';

/**
 * A host with the service below a path and another site elsewhere, as in a hospital. Start it before the service, which needs its
 * address as PLOIDY_PUBLIC_URL.
 */
export interface PathProxy {
  /** `http://host:port` */
  origin: string;
  /** Address of the service on this host. */
  address: string;
  /** Removes the path from what it passes on. */
  removesPath: boolean;
  /** Targets of requests that the other site answered. */
  strays: string[];
  /** Passes requests on to this service. */
  leadTo(app: Pick<TestApp, 'app'>): void;
  stop(): Promise<void>;
}

/** The parts of the host's root that belong to the service, too (docs/operate/deploy.md). */
const ofService = [`${publicPath}/`, `${publicPath}?`];
const wellKnown = new RegExp(`^/\\.well-known/[\\w-]+${publicPath}(?:/|$)`);

/** Starts a host whose other site answers with its own cookie, of the names that the service has. */
export async function openPathProxy(): Promise<PathProxy> {
  let port = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const isOurs = ofService.some((start) => `${url}/`.startsWith(start)) || wellKnown.test(url);
    if (!isOurs) {
      proxy.strays.push(url);
      incoming.resume();
      outgoing.setHeader(
        'set-cookie',
        ['ploidy-session=other', 'ploidy-form=other'].map((one) => `${one}; Path=/`),
      );
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<title>Another site</title>');
      return;
    }
    const path = proxy.removesPath && url.startsWith(publicPath) ? url.slice(publicPath.length) : url;
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: PathProxy = {
    ...{ origin, address: `${origin}${publicPath}`, removesPath: false, strays: [] },
    leadTo: ({ app }) => {
      port = (app.server.server.address() as AddressInfo).port;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
