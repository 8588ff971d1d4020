import type { Token } from '@ploidy/formats/statement-text';

/** Type as the engine writes it, and the place after it. */
interface ReadType {
  text: string;
  next: number;
}

const closers: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['<', '>'],
]);

/** Reads a type as Presto and Athena spell it: `ARRAY(T)`, `ARRAY<T>`, `MAP<K, V>`, `ROW(n T)`, `TIMESTAMP(3) WITH TIME ZONE`. */
export function readType(tokens: readonly Token[], at: number): ReadType | undefined {
  const read = readNested(tokens, at) ?? readPlain(tokens, at);
  if (!read) return undefined;
  let { text, next } = read;
  for (;;) {
    if (tokens[next]?.text === 'array') next += 1;
    else if (tokens[next]?.text === '[' && tokens[next + 1]?.text === ']') next += 2;
    else return { text, next };
    text += '[]';
  }
}

function readNested(tokens: readonly Token[], at: number): ReadType | undefined {
  const word = tokens[at]?.text;
  const closer = closers.get(tokens[at + 1]?.text ?? '');
  if (closer === undefined || (word !== 'array' && word !== 'map' && word !== 'row')) return undefined;
  const parts: string[] = [];
  for (let next = at + 2; ; next += 1) {
    const part = word === 'row' ? readField(tokens, next, parts.length) : readType(tokens, next);
    if (!part) return undefined;
    parts.push(part.text);
    next = part.next;
    if (tokens[next]?.text === closer) return joined(word, parts, next + 1);
    if (tokens[next]?.text !== ',') return undefined;
  }
}

function joined(word: 'array' | 'map' | 'row', parts: readonly string[], next: number): ReadType | undefined {
  if (word === 'array') return parts.length === 1 ? { text: `${parts[0]}[]`, next } : undefined;
  return { text: `${word.toUpperCase()}(${parts.join(', ')})`, next };
}

/** Reads a field, which may lack a name; the engine requires one. */
function readField(tokens: readonly Token[], at: number, index: number): ReadType | undefined {
  const token = tokens[at];
  const following = tokens[at + 1];
  // `INTEGER ARRAY` is a type, `n ARRAY(INTEGER)` a name and a type.
  const isArray = following?.text === 'array' && !closers.has(tokens[at + 2]?.text ?? '');
  const isType = isArray || /^(?:precision|with|without)$/.test(following?.text ?? '');
  const isNamed = token?.kind === 'name' || (token?.kind === 'word' && following?.kind === 'word' && !isType);
  const type = readType(tokens, isNamed ? at + 1 : at);
  return type && { text: `${isNamed ? token.text : `field${index}`} ${type.text}`, next: type.next };
}

function readPlain(tokens: readonly Token[], at: number): ReadType | undefined {
  const word = tokens[at];
  if (word?.kind !== 'word') return undefined;
  const follows = (from: number, ...words: string[]): boolean =>
    words.every((one, index) => tokens[from + index]?.text === one);
  if (word.text === 'double' && follows(at + 1, 'precision')) return { text: 'DOUBLE', next: at + 2 };
  let next = at + 1;
  let parameters = '';
  if (follows(next, '(')) {
    const end = tokens.findIndex(({ text }, index) => index > next && text === ')');
    const inside = tokens.slice(next + 1, end);
    if (end < 0 || !inside.every(({ text }) => text === ',' || /^\d+$/.test(text))) return undefined;
    // The engine's times have one precision.
    parameters = word.text === 'time' ? '' : `(${inside.map(({ text }) => text).join('')})`;
    next = end + 1;
  }
  if (follows(next, 'with', 'time', 'zone')) return { text: `${word.text} WITH TIME ZONE`, next: next + 3 };
  if (follows(next, 'without', 'time', 'zone')) next += 3;
  return { text: `${word.text}${parameters}`, next };
}
