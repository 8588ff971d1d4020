import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renameDurably, storageProblem } from '../blobs/durable.ts';
import type { PlatformLog } from '../records/log.ts';
import { compose } from './compose.ts';
import type { Mail } from './mail.ts';

/**
 * Without a mail server: each letter is a file `<id>.eml`, which every mail program opens. Readable by the service's user only,
 * because letters hold links that let people in. A letter that is sent again replaces itself.
 */
export function outboxMail(folder: string, from: string, log: PlatformLog): Mail {
  return {
    place: 'outbox',
    send: async (message) => {
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const { message: bytes } = await transport.sendMail(compose(message, from));
      if (!Buffer.isBuffer(bytes)) throw new Error('The mail library did not make a letter.');
      const file = `${message.id}.eml`;
      await writeAtomically(folder, file, bytes);
      log.info({ file }, 'a mail was written to the outbox: PLOIDY_SMTP_URL is not set');
    },
  };
}

async function writeAtomically(folder: string, name: string, bytes: Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const scratch = join(folder, `.${name}.new`);
  try {
    // Left behind by a process that was killed; a job runs in one process at a time.
    await rm(scratch, { force: true });
    const file = await open(scratch, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameDurably(scratch, join(folder, name));
  } catch (error) {
    await rm(scratch, { force: true });
    throw storageProblem(error);
  }
}
