/** A letter to one person. Every text in it is encoded by the mail library, so no value can add a header or a recipient. */
export interface MailMessage {
  /** The same at each try: receivers that get a letter twice know it by this. Letters, digits, `.` and `-`. */
  id: string;
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  /** The same for readers of HTML: complete, nothing loaded from elsewhere. */
  html: string;
}

/** The way of letters out of the service. Delivering is at least once: whoever calls repeats it until it worked. */
export interface Mail {
  /** Resolves when the next server, or the disk, has the letter. Rejects with a `MailError`. */
  send(message: MailMessage, signal?: AbortSignal): Promise<void>;
}

/**
 * A letter that did not go out. The message may be shown to whoever wrote it: it holds neither the address, nor the text of the
 * mail server, nor credentials.
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
