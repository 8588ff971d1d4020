import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { Answer } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import { pageStyle } from './page-style.ts';

/** Responses that a page route declares. */
export const pageAnswers = {
  200: { schema: Type.String(), description: 'A page', contentType: 'text/html' },
};

/** Options that differ between pages. */
interface PageOptions {
  /** Origins to which the response of a form may redirect: `form-action` limits redirects too. */
  formTargets?: string[];
  /** Wider column, for lists. */
  wide?: boolean;
  headers?: Record<string, string>;
}

/** Renders a page: no script, no frame, nothing from elsewhere. `content` is HTML. */
export function page(status: number, title: string, content: string, options: PageOptions = {}): Answer {
  const nonce = randomBytes(16).toString('base64');
  const { formTargets = [], wide = false, headers } = options;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${status >= 400 ? 'Error: ' : ''}${text(title)} · Ploidy</title>
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body${wide ? ' class="wide"' : ''}><header><span aria-hidden="true"></span>Ploidy</header>
<main><h1>${text(title)}</h1>
${content}
</main></body>
</html>
`;
  const targets = ["'self'", ...formTargets].join(' ');
  return new Answer(status, html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action ${targets}; frame-ancestors 'none'; base-uri 'none'`,
    ...headers,
  });
}

/** Answers with a page for problems too, for visitors who follow a link. */
export async function withPage(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return problemPage(error);
  }
}

/** Renders a problem as a page. */
export function problemPage(problem: Problem): Answer {
  return page(problem.status, 'This did not work', `<p role="alert">${text(problem.message)}</p>`);
}

/** Escapes text for HTML. */
export function text(value: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return value.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
