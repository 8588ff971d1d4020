import { setTimeout as delay } from 'node:timers/promises';
import type { Tokens } from '../config.ts';
import { interruptible } from '../interrupt.ts';
import { visible } from '../visible.ts';
import { deviceCodes, deviceTokens, discover } from './authorization-server.ts';

/** Signs in with a browser on any computer, by a code (RFC 8628): for remote shells. */
export async function signInWithCode(address: string): Promise<Tokens> {
  const metadata = await discover(address);
  const codes = await deviceCodes(metadata);
  process.stderr.write(
    `Open this address in a browser on any computer:\n\n  ${codes.verification_uri}\n\nand type the code:\n\n  ${visible(codes.user_code)}\n\n`,
  );
  return interruptible(
    async (signal) => {
      for (;;) {
        await delay(codes.interval * 1000, undefined, { signal });
        const tokens = await deviceTokens(metadata, codes.device_code);
        if (tokens) return tokens;
      }
    },
    async () => 'Interrupted; you are not signed in.',
  );
}
