import { Type } from 'typebox';
import { type Answer, type Route, route } from '../../../api/route.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { proofShape, staleForm } from '../sign-in/index.ts';
import { passwordShape } from '../sign-in/passwords/index.ts';
import { newSecret, otpauthUri } from '../sign-in/second-factor/index.ts';
import { browserOf, faultIn, type PageDeps, pageDefaults, proofOf, showErrors } from './page-routes.ts';
import { codesPage, enrolmentPage, paths } from './pages.ts';
import { type By, wrongCode } from './security.ts';

/** Routes that enable two-step sign-in. Until it is enabled, the secret is kept only sealed in the form. */
export function enrolmentRoutes(deps: PageDeps): Route[] {
  const { security, secrets, publicUrl } = deps;
  const show = ({ caller }: By, proof: string, secret: string, fault?: string): Answer => {
    const uri = otpauthUri(secret, caller.email, new URL(publicUrl()).host);
    const sealed = secrets.seal(secret, contextOf(caller.userId));
    return enrolmentPage({ proof, uri, secret, sealed, ...(fault !== undefined && { fault }) });
  };
  const common = { ...pageDefaults, path: paths.secondFactor, operation: 'security.update' } as const;
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Show the page that enables two-step sign-in',
      handle: async (context) => show(browserOf(deps, context), proofOf(deps, context), newSecret()),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Enable two-step sign-in with a code from the authenticator',
      formBody: true,
      body: Type.Object({
        proof: proofShape,
        secret: Type.String({ maxLength: 1000, description: 'Sealed secret of the page' }),
        code: Type.String({ maxLength: 40, description: 'Code of the authenticator' }),
        current: passwordShape,
      }),
      handle: async (context) => {
        const by = browserOf(deps, context);
        const { proof, code, current } = context.body;
        const secret = opened(secrets, context.body.secret, by.caller.userId);
        const again = (fault: string) => show(by, proofOf(deps, context), secret ?? newSecret(), fault);
        const fault = faultIn(deps, context, proof);
        if (secret === undefined || fault !== undefined) return again(fault ?? staleForm);
        if (code.trim() === '') return again(wrongCode().message);
        return showErrors(again, async () => codesPage(await security.turnOn(secret, code, current, by)));
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
    // Changed, or of another user: a new secret is shown.
    return undefined;
  }
}
