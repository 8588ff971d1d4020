/** Sentences of a document, and which of them are claims. */
import { tablesIn } from '../documentation/markdown.ts';

/** Words and figures by which a sentence excludes something: a reader relies on them without a look. */
const bounds =
  /\d|\b(?:all|always|at least|at most|both|cannot|each|equal|every|exactly|never|no|none|not|nothing|once|only|same|until|without)\b/i;

/** Reports whether a sentence has a figure or excludes something, outside of its links and spans of code. */
export function isBound(sentence: string): boolean {
  return bounds.test(sentence.replaceAll(/`[^`]*`|\]\([^)]*\)/g, ' '));
}

/**
 * Returns the sentences and rows of a Markdown document. Links are their texts, cells are joined by ` | `.
 * Left out are blocks of code, headings and pictures, and tables whose last column names the test of a row.
 */
export function sentencesIn(text: string): string[] {
  const prose = text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '').replaceAll(/^#.*$|^!\[.*$/gm, '');
  const rows = tablesIn(prose)
    .filter(({ header }) => !['command', 'read', 'test'].includes(header.at(-1) ?? ''))
    .flatMap((table) => table.rows.map(({ cells }) => cells.filter(Boolean).join(' | ')));
  const paragraphs = prose
    .replaceAll(/^\|.*$/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:-|\d+\.) )/)
    .map((paragraph) =>
      paragraph
        .replaceAll(/\s+/g, ' ')
        .replace(/^ ?(?:-|\d+\.) /, '')
        .trim(),
    );
  const sentences = paragraphs.flatMap((paragraph) =>
    // A span of code has no end of a sentence.
    (paragraph.match(/(?:`[^`]*`|[^`])+?(?:[.?!]\**(?=\s+[A-Z`*[])|$)/g) ?? []).map((one) => one.trim()),
  );
  return [...sentences, ...rows]
    .map((sentence) => sentence.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    .filter((sentence) => sentence !== '');
}
