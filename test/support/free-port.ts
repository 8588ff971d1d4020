import { type AddressInfo, createServer } from 'node:net';

/** Returns a port of this computer on which nothing listens, for what must know its address before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
