/** A letter to one person. Every text in it is encoded by the mail library, so no value can add a header or a recipient. */
export interface MailMessage {
  /** Stable id for all attempts, by which receivers recognise duplicates. Letters, digits, `.` and `-`. */
  id: string;
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  /** HTML version of the text: complete, without external content. */
  html: string;
}

/** Sends mail at least once: the caller retries until it succeeds. */
export interface Mail {
  /** Place of a letter that was sent: the next server, or a folder in which the operator finds it. */
  readonly place: 'server' | 'outbox';
  /** Resolves when the next server, or the disk, has the letter. Rejects with a `MailError`. */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
}

/**
 * Mail that was not sent. Its message may be shown to the author: it holds neither the address, nor the text
 * of the mail server, nor credentials.
 */
export class MailError extends Error {
  override name = 'MailError';
  /** Trying again cannot help: the server refuses this recipient or this letter for good (RFC 5321 §4.2.1, 5yz). */
  readonly permanent: boolean;

  /** `options.cause`: for the log alone, and only what holds neither of these. */
  constructor(message: string, permanent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.permanent = permanent;
  }
}
