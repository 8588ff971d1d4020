/** Figure of a written report: its drawing as SVG, the words below it, and the rows behind it. */
export interface WrittenFigure {
  title: string;
  caption: string;
  /** Address of the page that draws it. */
  address: string;
  /** SVG documents. */
  drawings: readonly string[];
  notes: readonly string[];
  rows: readonly Record<string, unknown>[];
}

export type Written = { text: string } | WrittenFigure;

/** Facts about the data behind a report. */
export interface Facts {
  name: string;
  project: string;
  version: number | undefined;
  /** Time at which it was written, in words. */
  time: string;
  /** True where values are masked, or counts rounded, for its writer. */
  isMasked: boolean;
}

/** Rows of a figure that the document lists. */
const rowsMax = 500;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const safe = (text: unknown): string => `${text ?? ''}`.replace(/[&<>"]/g, (letter) => escapes[letter] ?? '');

/** Writes a report as one HTML document without scripts and without addresses that a reader's browser would load. */
export function documentOf(facts: Facts, parts: readonly Written[]): string {
  const { name, project, version, time, isMasked } = facts;
  const origin = [
    `Project ${project}${version === undefined ? '' : `, version ${version} of its data`}.`,
    `Written on ${time}.`,
    ...(isMasked ? ['Values are masked or rounded by the rights of the writer.'] : []),
    'Computed by Ploidy; its tests are compared with R, SciPy and lifelines.',
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${safe(name)}</title>
<style>body{font:16px/1.5 sans-serif;max-width:900px;margin:2em auto;padding:0 1em;color:#000;background:#fff}figure{margin:2em 0;break-inside:avoid}svg{max-width:100%;height:auto}td,th{padding:2px 8px;text-align:left;border-bottom:1px solid #ccc}small{color:#444}</style>
</head>
<body>
<h1>${safe(name)}</h1>
<p><small>${origin.map(safe).join(' ')}</small></p>
${parts.map(partOf).join('\n')}
</body>
</html>
`;
}

function partOf(part: Written): string {
  if ('text' in part)
    return part.text
      .split(/\n\s*\n/)
      .map((paragraph) => `<p>${safe(paragraph).replaceAll('\n', '<br>')}</p>`)
      .join('\n');
  const { title, caption, address, drawings, notes, rows } = part;
  return `<figure>
<h2>${safe(title)}</h2>
${drawings.join('\n')}
<figcaption>${[caption, ...notes]
    .filter(Boolean)
    .map((text) => `<p>${safe(text)}</p>`)
    .join('')}<p><small>${safe(address)}</small></p></figcaption>
${tableOf(rows)}
</figure>`;
}

function tableOf(rows: readonly Record<string, unknown>[]): string {
  if (rows.length === 0) return '';
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = (tag: string, values: readonly unknown[]): string =>
    `<tr>${values.map((value) => `<${tag}>${safe(value)}</${tag}>`).join('')}</tr>`;
  const body = rows.slice(0, rowsMax).map((row) =>
    cells(
      'td',
      names.map((name) => row[name]),
    ),
  );
  const head = rows.length > rowsMax ? `first ${rowsMax} of ${rows.length} rows` : `${rows.length} rows`;
  return `<details><summary>Data: ${head}</summary><table>${cells('th', names)}${body.join('')}</table></details>`;
}
