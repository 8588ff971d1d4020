import { spawn } from 'node:child_process';
import type { Tokens } from '../config.ts';
import { interruptible } from '../interrupt.ts';
import { authorizationRequest, discover, redeem, revoke } from './authorization-server.ts';
import { Loopback } from './loopback.ts';

/** Signs in with the browser: the service asks for the password, this program never sees it. */
export async function signInWithBrowser(address: string, withBrowser: boolean): Promise<Tokens> {
  const metadata = await discover(address);
  const loopback = await Loopback.open();
  try {
    const authorization = authorizationRequest(metadata, loopback.redirectUri);
    process.stderr.write(`Sign in with your browser on this computer:\n\n  ${authorization.url}\n\n`);
    if (withBrowser) openBrowser(authorization.url);
    const expected = { state: authorization.state, issuer: metadata.issuer };
    const code = await interruptible(
      (signal) => loopback.code(expected, signal),
      async () => 'Interrupted; you are not signed in.',
    );
    return await redeem(metadata, code, authorization);
  } finally {
    loopback.close();
  }
}

/** Ends a sign-in at the service as well. */
export async function signOut(address: string, { refreshToken }: Tokens): Promise<void> {
  await revoke(await discover(address), refreshToken);
}

/** Opens an address in the user's browser. A failure is no error: the address was printed. */
export function openBrowser(url: string): void {
  const [program, ...words] = browserCommand(url);
  const child = spawn(program, words, { detached: true, stdio: 'ignore' });
  child.once('error', () => undefined);
  child.unref();
}

/** Returns a command that passes the address through no shell. */
function browserCommand(url: string): [string, ...string[]] {
  if (process.platform === 'darwin') return ['open', url];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return ['xdg-open', url];
}
