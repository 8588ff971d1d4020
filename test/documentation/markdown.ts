/** What a document tells its reader to type. */

/** A command line, and where it stands. */
export interface Told {
  /** `docs/operate.md:12`. */
  at: string;
  words: string[];
}

/** Lines that begin a block of something other than commands. */
const otherLanguages = new Set(['ts', 'mermaid', 'json', 'sql']);

/** Every command line in blocks of code, and in spans of code that begin like one of ours. */
export function commandsIn(path: string, text: string): Told[] {
  const found: Told[] = [];
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

/** The commands of one line, without what stands before or behind them. */
function linesOf(at: string, line: string): Told[] {
  const text = line.replace(/^\s*\$\s+/, '').replace(/\s#\s.*$/, '');
  return text.split(/\s*(?:&&|\|\||;|\|(?!\s*\\))\s*/).flatMap((part) => {
    const words = wordsOf(part);
    while (/^[A-Z_]+=/.test(words[0] ?? '')) words.shift();
    return words.length === 0 ? [] : [{ at, words }];
  });
}

/** As a shell splits them: quotes hold a word together. */
function wordsOf(text: string): string[] {
  const words = text.match(/(?:\$\([^)]*\)|[^\s"']+?|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => word.replace(/["']/g, ''));
}

/** Where the links of a document lead that are no addresses, without what is behind `#`. */
export function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
}

/** The first cells of a table's rows, as the spans of code in them. */
export function firstCells(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll('\\|', '¦').split('|')[1] ?? '')
    .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span.replaceAll('¦', '|')));
}
