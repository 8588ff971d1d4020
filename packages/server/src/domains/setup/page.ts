import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { Problem } from '../../problem.ts';
import { Answer } from '../../route.ts';

/** What a route that shows a page declares. */
export const pageAnswers = {
  200: { schema: Type.String(), description: 'A page', contentType: 'text/html' },
};

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { display: grid; place-items: center; min-height: 90vh; margin: 0; padding: 1rem; }
  main { width: min(24rem, 100%); overflow-wrap: anywhere; }
  label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit; }
  input, button { margin: .25rem 0 1rem; padding: .6rem .75rem; border: 1px solid #8888; border-radius: .4rem; }
  button { background: #0b57d0; color: #fff; border: 0; cursor: pointer; }
  button.plain { background: none; color: inherit; border: 1px solid #8888; }
  :focus-visible { outline: 3px solid #7aa7f7; outline-offset: 2px; }
  [role=alert] { border-left: 4px solid #c62828; padding-left: .75rem; }
`;

/** A small page of ours: no script, no frame, nothing from elsewhere. `content` is HTML. */
export function page(status: number, title: string, content: string): Answer {
  const nonce = randomBytes(16).toString('base64');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)} · Ploidy</title>
<style nonce="${nonce}">${style}</style>
</head>
<body><main><h1>${text(title)}</h1>
${content}
</main></body>
</html>
`;
  return new Answer(status, html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  });
}

/** People who follow a link get a page also when something is wrong. */
export async function withPage(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return page(error.status, 'This did not work', `<p role="alert">${text(error.message)}</p>`);
  }
}

/** Text as HTML. */
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
