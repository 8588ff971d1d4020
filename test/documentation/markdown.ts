/** Commands of a document's code blocks. */

/** Command line with its place. */
export interface Reply {
  /** `docs/operate/limits.md:12`. */
  at: string;
  words: string[];
}

/** Lines that begin a block of something other than commands. */
const otherLanguages = new Set(['ts', 'mermaid', 'json', 'sql']);

/** Returns every command line in blocks of code, and in spans of code that begin like one of ours. */
export function commandsIn(path: string, text: string): Reply[] {
  const found: Reply[] = [];
  let block: string | undefined;
  let continued = '';
  for (const [index, line] of text.split('\n').entries()) {
    const at = `${path}:${index + 1}`;
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence) {
      block = block === undefined ? (fence[1] ?? '') : undefined;
      continue;
    }
    if (block === undefined) {
      for (const [, span = ''] of line.matchAll(/`([^`]+)`/g))
        if (/^(npm|ploidy|node) \S/.test(span)) found.push(...linesOf(at, span));
      continue;
    }
    if (otherLanguages.has(block)) continue;
    continued += line;
    if (continued.endsWith('\\')) {
      continued = continued.slice(0, -1);
      continue;
    }
    found.push(...linesOf(at, continued));
    continued = '';
  }
  return found;
}

/** Commands of one line, without their surroundings. */
function linesOf(at: string, line: string): Reply[] {
  const text = line.replace(/^\s*\$\s+/, '').replace(/\s#\s.*$/, '');
  return text.split(/\s*(?:&&|\|\||;|\|(?!\s*\\))\s*/).flatMap((part) => {
    const words = wordsOf(part);
    while (/^[A-Z_]+=/.test(words[0] ?? '')) words.shift();
    return words.length === 0 ? [] : [{ at, words }];
  });
}

/** Splits like a shell: quotes hold a word together. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:\$\([^)]*\)|[^\s"']+?|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/["']/g, ''));
}

/** Targets of a document's relative links, without fragments. */
export function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
}

/** Paths of this repository that are spans of code, with their places; those that stand for several are left out. */
export function pathsIn(path: string, text: string): { at: string; named: string }[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(/`((?:test|packages|docs)\/[\w./-]+)`/g)].map(([, named = '']) => ({
      at: `${path}:${index + 1}`,
      named,
    })),
  );
}

/** Targets and fragments of a document's relative links that have a fragment. */
export function fragmentsIn(text: string): { target: string; fragment: string }[] {
  return [...text.matchAll(/\]\(([^)#:\s]*)#([^)\s]+)\)/g)].map(([, target = '', fragment = '']) => ({
    target,
    fragment,
  }));
}

/** Fragments of a document's headings, as GitHub makes them. */
export function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the first cells of a table's rows, as the spans of code in them. */
export function firstCells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll('\\|', '¦').split('|')[1] ?? '')
    .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('¦', '|')));
}

/** A table of a document. */
export interface DocumentTable {
  header: string[];
  rows: { line: number; cells: string[] }[];
}

/** Tables with the cells of their rows; `\|` does not end a cell. */
export function tablesIn(text: string): DocumentTable[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!/^\|(?:-+\|)+$/.test(line)) return [];
    const after = lines.slice(index + 1);
    const end = after.findIndex((one) => !one.startsWith('|'));
    return {
      header: cellsOf(lines[index - 1] ?? ''),
      rows: after
        .slice(0, end < 0 ? after.length : end)
        .map((one, at) => ({ line: index + at + 2, cells: cellsOf(one) })),
    };
  });
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
