import type { AlterationTest, Node } from '../node.ts';
import { type GeneLanguageError, Scanner, Stop, type Token } from './scanner.ts';
import {
  absentWords,
  alterationWords,
  bareGene,
  changeTest,
  copyStates,
  isChange,
  isJoint,
  isWord,
  modifierWords,
  wordsOf,
} from './words.ts';

/** Limits of a text. */
export const geneTextMax = 10_000;
const nodesMax = 150;
const depthMax = 4;

/**
 * Parses lines such as `BRAF: MUT = V600E AMP`, `TP53: TRUNC_DRIVER AND NOT KRAS`, `EML4::ALK` into a filter. Words behind a gene
 * are alternatives, and so are lines. docs/analytics.md has the grammar.
 */
export function readGenes(text: string): { filter: Node } | { error: GeneLanguageError } {
  try {
    return { filter: new Reader(text).whole() };
  } catch (error) {
    if (error instanceof Stop) return { error: error.found };
    throw error;
  }
}

class Reader {
  readonly #scanner: Scanner;
  #nodes = 0;

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  whole(): Node {
    this.#scanner.takesBreaks();
    const filter = this.#or(0);
    if (this.#scanner.next.kind !== 'end') this.#scanner.fail(this.#scanner.next, 'is not expected here');
    return filter;
  }

  /** Parses alternatives: `OR`, and lines. */
  #or(depth: number): Node {
    const of = [this.#and(depth)];
    while (this.#scanner.takesWord('OR') || this.#startsLine(depth)) of.push(this.#and(depth));
    return oneOr(of, 'or');
  }

  /** Takes the end of a line, and reports whether another one follows. */
  #startsLine(depth: number): boolean {
    return depth === 0 && this.#scanner.takesBreaks() && this.#scanner.next.kind !== 'end';
  }

  #and(depth: number): Node {
    const of = [this.#not(depth)];
    while (this.#scanner.takesWord('AND')) of.push(this.#not(depth));
    return oneOr(of, 'and');
  }

  #not(depth: number): Node {
    if (depth > depthMax) this.#scanner.fail(this.#scanner.next, 'is nested too deep');
    if (this.#scanner.takesWord('NOT')) return { not: this.#not(depth + 1) };
    if (!this.#scanner.takesSign('(')) return this.#gene();
    const inner = this.#or(depth + 1);
    this.#scanner.requireSign(')');
    return inner;
  }

  #gene(): Node {
    const token = this.#scanner.take();
    if (token.kind !== 'word') this.#scanner.fail(token, 'stands where a gene is expected, NOT or (');
    if (isWord(token.text))
      this.#scanner.fail(token, 'is a word for alterations and stands where a gene is expected');
    const gene = symbolOf(token);
    if (this.#scanner.takesSign('::')) return this.#fusion(gene);
    const tests = this.#scanner.takesSign(':') ? this.#items() : bareGene;
    return this.#node(tests.map((test) => ({ genes: [gene], ...test })));
  }

  /** Parses the partner of a fusion. Tables do not keep the order of the genes. */
  #fusion(gene: string): Node {
    const partner = this.#scanner.take();
    if (partner.kind !== 'word' || partner.text === '-') {
      this.#scanner.fail(partner, `stands where the other gene is expected; any fusion is "${gene}: FUSION"`);
    }
    return this.#node([{ genes: [gene], kinds: ['fusion'], partners: [symbolOf(partner)] }]);
  }

  #node(tests: AlterationTest[]): Node {
    this.#nodes += tests.length;
    if (this.#nodes > nodesMax)
      this.#scanner.fail(this.#scanner.next, `begins more than ${nodesMax} conditions`);
    return oneOr(
      tests.map((alteration) => ({ alteration })),
      'or',
    );
  }

  /** Parses the alternatives behind a gene, and the share of reads that all of its mutations need. */
  #items(): AlterationTest[] {
    const tests: AlterationTest[] = [];
    let alleleFractionMin: number | undefined;
    while (
      this.#scanner.next.kind === 'word' ? !isJoint(this.#scanner.next.text) : this.#scanner.next.text === '('
    ) {
      if (this.#scanner.takesWord('VAF')) alleleFractionMin = this.#share();
      else tests.push(...this.#item());
    }
    if (tests.length === 0 && alleleFractionMin === undefined)
      this.#scanner.fail(this.#scanner.next, 'stands where an alteration is expected, such as MUT or AMP');
    if (alleleFractionMin === undefined) return tests;
    const isMutation = ({ kinds }: AlterationTest): boolean => kinds?.[0] === 'mutation';
    const least = { alleleFractionMin };
    if (tests.length === 0) return [{ kinds: ['mutation'], ...least }];
    return tests.map((test) => (isMutation(test) ? { ...test, ...least } : test));
  }

  #share(): number {
    this.#scanner.requireSign('>=');
    const token = this.#scanner.take();
    const share = Number(token.text);
    if (token.kind !== 'word' || !(share >= 0 && share <= 1))
      this.#scanner.fail(token, 'must be a number from 0 to 1');
    return share;
  }

  /** Parses one item: words joined by `_`, and ranges of residues in parentheses among them. */
  #item(): AlterationTest[] {
    const token = this.#scanner.next;
    const parts: AlterationTest[] = [];
    let named: string | undefined;
    let changes: AlterationTest[] | undefined;
    do {
      if (this.#scanner.next.text === '(') parts.push(this.#residues());
      else {
        for (const [word, place] of wordsOf(this.#scanner.take())) {
          const upper = word.toUpperCase();
          const test = alterationWords[upper] ?? modifierWords[upper];
          if (Object.hasOwn(alterationWords, upper) || upper === 'CNA') {
            if (named !== undefined)
              this.#scanner.fail({ text: word, at: place }, 'is a second alteration in one item');
            named = upper;
          }
          if (test) parts.push(test);
          else if (upper === 'CNA') parts.push({});
          else if (isChange(word) && named === undefined) changes = [changeTest(word)];
          else this.#unknown(place, word);
        }
      }
    } while (this.#isJoined());
    const merged: AlterationTest = Object.assign({}, ...parts);
    if (named === 'MUT') return this.#mutations().map((change) => ({ ...merged, ...change }));
    if (named === 'CNA') return [{ ...merged, kinds: ['copy_number'], classes: this.#copies() }];
    if (changes) return changes.map((change) => ({ ...merged, ...change }));
    const onlyMutations = merged.proteinPositions !== undefined || merged.status !== undefined;
    if (merged.kinds) return [merged];
    if (onlyMutations) return [{ ...merged, kinds: ['mutation'] }];
    if (merged.driver) return bareGene.map((test) => ({ ...test, ...merged }));
    return this.#scanner.fail(token, 'is no alteration');
  }

  /** Reports whether the next token continues an item: a range after `_`, or words after a range. */
  #isJoined(): boolean {
    const before = this.#scanner.before;
    const { text, at, kind } = this.#scanner.next;
    if (!before || before.at + before.text.length !== at) return false;
    return text === '('
      ? before.text.endsWith('_')
      : before.text === ')' && kind === 'word' && text.startsWith('_');
  }

  /** Parses a range of residues: `(600-650)`, `(600-)`, `(-100)`. */
  #residues(): AlterationTest {
    this.#scanner.requireSign('(');
    const token = this.#scanner.take();
    const [, from = '', to = ''] = /^(\d{0,5})-(\d{0,5})$/.exec(token.text) ?? [];
    if (from === '' && to === '') {
      const message = token.text.endsWith('*')
        ? 'is not supported: tables keep the first residue of a change; leave out the *'
        : 'must be a range of residues, such as 600-650';
      this.#scanner.fail(token, message);
    }
    this.#scanner.requireSign(')');
    const end = (digits: string): number => Math.max(1, Number(digits));
    return {
      proteinPositions: { ...(from !== '' && { from: end(from) }), ...(to !== '' && { to: end(to) }) },
    };
  }

  /** Parses what follows MUT: nothing, or changes of the protein that are wanted or excluded. */
  #mutations(): AlterationTest[] {
    if (this.#scanner.takesSign('!=')) {
      const words = this.#list();
      const changes = words.map((token) => this.#change(token).proteinChanges);
      const residue = words.find((_, at) => changes[at] === undefined);
      if (residue)
        this.#scanner.fail(residue, 'names a residue; only whole changes can be excluded, such as V600E');
      return [{ notProteinChanges: changes.flatMap((change) => change ?? []) }];
    }
    if (!this.#scanner.takesSign('=')) return [{}];
    const tests = this.#list().map((token) => this.#change(token));
    const whole = tests.flatMap(({ proteinChanges = [] }) => proteinChanges);
    const residues = tests.filter(({ proteinChanges }) => proteinChanges === undefined);
    return [...(whole.length > 0 ? [{ proteinChanges: whole }] : []), ...residues];
  }

  #list(): Token[] {
    const words = [this.#scanner.take()];
    while (this.#scanner.takesSign(',')) words.push(this.#scanner.take());
    return words;
  }

  #change(token: Token): AlterationTest {
    const { text, at } = token;
    if (token.kind === 'word' && isChange(text)) return changeTest(text);
    if (/^rs\d+$/i.test(text)) this.#scanner.fail(token, 'is a number of dbSNP: use a condition on variants');
    if (/^[cgnm]\./.test(text))
      this.#scanner.fail(token, 'is no change of a protein: write p.V600E or V600E');
    const word = alterationWords[text.toUpperCase()];
    if (word) return { ...word };
    return this.#unknown(at, text);
  }

  #copies(): string[] {
    const sign = this.#scanner.take();
    const compare = comparisons[sign.text];
    if (!compare) return this.#scanner.fail(sign, 'stands where =, !=, >, >=, < or <= is expected');
    const state = this.#scanner.take();
    const place = copyStates.findIndex(([name]) => name === state.text.toUpperCase());
    if (place < 0) {
      const names = copyStates.map(([name]) => name);
      this.#scanner.fail(state, `is no state of copies; there are ${names.join(', ')}`, names);
    }
    return copyStates.flatMap(([, name], at) => (name !== undefined && compare(at, place) ? [name] : []));
  }

  #unknown(at: number, word: string): never {
    const absent = absentWords[word.toUpperCase()];
    if (absent !== undefined) this.#scanner.fail({ text: word, at }, absent);
    const known = [
      ...Object.keys(alterationWords),
      ...Object.keys(modifierWords),
      'CNA',
      'VAF',
      'AND',
      'OR',
      'NOT',
    ];
    return this.#scanner.fail(
      { text: word, at },
      'is neither a word for alterations nor a change of a protein',
      known,
    );
  }
}

const comparisons: Readonly<Record<string, (state: number, than: number) => boolean>> = {
  '=': (state, than) => state === than,
  '!=': (state, than) => state !== than,
  '>': (state, than) => state > than,
  '>=': (state, than) => state >= than,
  '<': (state, than) => state < than,
  '<=': (state, than) => state <= than,
};

/** Returns the symbol of a gene; those in lower case only are written in upper case. */
const symbolOf = ({ text }: Token): string => (text === text.toLowerCase() ? text.toUpperCase() : text);

function oneOr(of: Node[], kind: 'and' | 'or'): Node {
  const [only, second] = of;
  if (only !== undefined && second === undefined) return only;
  return kind === 'and' ? { and: of } : { or: of };
}
