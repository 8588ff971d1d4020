import type { Answer } from '../../route.ts';
import type { AuthorizationRequest, SignInView } from '../oauth/index.ts';
import { cookieName, readCookie, type Session, type Sessions } from '../sessions/index.ts';
import { page, text } from '../setup/index.ts';

/** The cookie of a session. */
export const sessionCookie = 'ploidy-session';

type Context = Parameters<SignInView['current']>[0];

/** What people see of signing in. */
export class SignIn implements SignInView {
  readonly #sessions: Sessions;
  readonly #publicUrl: () => string;

  constructor(sessions: Sessions, publicUrl: () => string) {
    this.#sessions = sessions;
    this.#publicUrl = publicUrl;
  }

  async current({ headers }: Context): Promise<Session | undefined> {
    return this.#sessions.current(
      readCookie(headers['cookie'], cookieName(sessionCookie, this.#publicUrl())),
    );
  }

  async show(request: AuthorizationRequest): Promise<Answer> {
    return page(200, 'Sign in', `<p>To continue to ${text(request.client.name)}.</p>`);
  }

  mistake(message: string): Answer {
    return page(
      400,
      'This link does not work',
      `<p role="alert">${text(message)}</p><p>Go back to the application and try again, or tell its makers what is written here.</p>`,
    );
  }
}
