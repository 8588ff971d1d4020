import type { Tokens } from '../config.ts';
import { interruptible } from '../interrupt.ts';
import { authorizationRequest, discover, redeem, revoke } from './authorization-server.ts';
import { Loopback } from './loopback.ts';
import { openBrowser } from './open-browser.ts';

/** Signs in with the browser: the service asks for the password, this program never sees it. */
export async function signInWithBrowser(address: string, withBrowser: boolean): Promise<Tokens> {
  const metadata = await discover(address);
  const loopback = await Loopback.open();
  try {
    const asked = authorizationRequest(metadata, loopback.redirectUri);
    process.stderr.write(`Sign in with your browser on this computer:\n\n  ${asked.url}\n\n`);
    if (withBrowser) openBrowser(asked.url);
    const expected = { state: asked.state, issuer: metadata.issuer };
    const code = await interruptible(
      (signal) => loopback.code(expected, signal),
      async () => 'Interrupted; you are not signed in.',
    );
    return await redeem(metadata, code, asked);
  } finally {
    loopback.close();
  }
}

/** Ends a sign-in at the service as well. */
export async function signOut(address: string, { refreshToken }: Tokens): Promise<void> {
  await revoke(await discover(address), refreshToken);
}
