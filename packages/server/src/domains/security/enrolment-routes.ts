import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { passwordShape } from '../passwords/index.ts';
import { newSecret, otpauthUri } from '../second-factor/index.ts';
import type { BrowserSessions, Sessions } from '../sessions/index.ts';
import { type Forms, staleForm } from '../sign-in/index.ts';
import { browserOf, commonOfPages, mistakeIn, orAgain, proofOf, proofShape } from './page-routes.ts';
import { codesPage, enrolmentPage, paths } from './pages.ts';
import { type By, type Security, wrongCode } from './security.ts';

export interface PageParts {
  security: Security;
  sessions: Sessions;
  browsers: BrowserSessions;
  forms: Forms;
  secrets: Secrets;
  publicUrl: () => string;
}

/** Turning the second step on. Until that is done the secret is kept nowhere but sealed in the form. */
export function enrolmentRoutes(parts: PageParts): Route[] {
  const { security, secrets, publicUrl } = parts;
  const show = ({ caller }: By, proof: string, secret: string, mistake?: string): Answer => {
    const uri = otpauthUri(secret, caller.email, new URL(publicUrl()).host);
    const sealed = secrets.seal(secret, contextOf(caller.userId));
    return enrolmentPage({ proof, uri, secret, sealed, ...(mistake !== undefined && { mistake }) });
  };
  const common = { ...commonOfPages, path: paths.secondFactor, operation: 'security.update' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'The page that turns the second step on',
      handle: async (context) => show(browserOf(parts, context), proofOf(parts, context), newSecret()),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Turn the second step on, with a code that shows that the authenticator has the key',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        secret: Type.String({ maxLength: 1000 }),
        code: Type.String({ maxLength: 40 }),
        present: passwordShape,
      }),
      handle: async (context) => {
        const by = browserOf(parts, context);
        const { proof, code, present } = context.body;
        const secret = opened(secrets, context.body.secret, by.caller.userId);
        const again = (mistake: string) => show(by, proofOf(parts, context), secret ?? newSecret(), mistake);
        const mistake = mistakeIn(parts, context, proof);
        if (secret === undefined || mistake !== undefined) return again(mistake ?? staleForm);
        if (code.trim() === '') return again(wrongCode().message);
        return orAgain(again, async () => codesPage(await security.turnOn(secret, code, present, by)));
      },
    }),
  ];
}

function contextOf(userId: string): string {
  return `enrolment:${userId}`;
}

function opened(secrets: Secrets, sealed: string, userId: string): string | undefined {
  try {
    return secrets.open(sealed, contextOf(userId));
  } catch {
    // Changed, or of somebody else: a new secret is shown.
    return undefined;
  }
}
