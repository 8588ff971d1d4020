import { credentialsPath, readStored, storeCredentials } from '../config.ts';
import { CommandError, exitCodes } from '../exit.ts';
import { discover, refresh, revoke } from './authorization-server.ts';
import { withLock } from './lock.ts';

/** Tokens are replaced this long before they end. */
const earlyMs = 10 * 60_000;

/**
 * Returns the access token that is kept for a service, replaced when it is about to end. Of several processes one replaces it,
 * and the others read what it got: a refresh token works once.
 */
export async function freshToken(address: string): Promise<string> {
  const { tokens } = storedFor(address);
  if (tokens.expiresAt - earlyMs > Date.now()) return tokens.accessToken;
  return withLock(`${credentialsPath()}.lock`, async () => {
    const stored = storedFor(address);
    if (stored.tokens.expiresAt - earlyMs > Date.now()) return stored.tokens.accessToken;
    const service = await discover(address);
    const renewed = await refresh(service, stored.tokens.refreshToken);
    // Read once more: `projects use`, a sign-in or a sign-out may have written meanwhile.
    if (readStored().tokens?.refreshToken !== stored.tokens.refreshToken) {
      await revoke(service, renewed.refreshToken);
      throw new CommandError(
        'You signed in or out in the meantime. Run the command again.',
        exitCodes.signedOut,
      );
    }
    storeCredentials({ ...storedFor(address), tokens: renewed });
    return renewed.accessToken;
  });
}

function storedFor(wanted: string) {
  const { address, tokens, account, ...rest } = readStored();
  if (address !== wanted || !tokens || account === undefined) {
    throw new CommandError('You are no longer signed in. Run "ploidy login" again.', exitCodes.signedOut);
  }
  return { ...rest, address, tokens, account };
}
