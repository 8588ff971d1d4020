import { type Edit, edited, literal, type Respelled, type Token, tokensOf } from '@ploidy/engine';
import { tables } from '@ploidy/formats/tables';
import type { Place } from './failure.ts';
import { StatementFailed } from './failure.ts';
import { findRelation, type RelationName, relationsIn } from './relations.ts';
import { findSchema, type Schema } from './schemas.ts';
import { catalogName, type Session } from './session.ts';

/** Statement whose names are written as the guard reads them, and what it is about. */
export interface ResolvedText extends Respelled {
  /** Project of the statement; absent where it reads none, or relations about the catalogue. */
  schema: Schema | undefined;
  relations: RelationName[];
}

/** Names before a table: one that is written in a statement. */
interface Chain {
  names: string[];
  tokens: Token[];
  /** Set behind FROM and JOIN, where the name of a table follows. */
  isTable: boolean;
  /** Set before `.*`. */
  isStar: boolean;
}

/**
 * Resolves qualified names: `ploidy.schema.table` becomes `main.table`, by which the guard reads a table even where a WITH
 * query has its name. The guard checks the result, so a misread name here is no access.
 */
export function resolveNames(
  text: string,
  session: Session,
  schemas: readonly Schema[],
  user: string,
): ResolvedText {
  const used = new Set<Schema>();
  const relations = new Map<string, RelationName>();
  const tokens = tokensOf(text);
  const edits: Edit[] = sessionValues(tokens, session, user);
  for (const chain of chainsOf(tokens)) {
    const { names, isTable, isStar } = chain;
    const withCatalog = names.length > 2 && (names[0] === catalogName || names[0] === 'system');
    const catalog = withCatalog ? names[0] : (session.catalog ?? catalogName);
    const [schemaName = '', tableName = ''] = withCatalog ? names.slice(1) : names;
    const at = chain.tokens[withCatalog ? 4 : 2];
    const first = chain.tokens[0];
    if (!at || !first) continue;
    const relation = findRelation(
      schemaName === 'information_schema' ? catalogName : catalog,
      schemaName,
      tableName,
    );
    const schema = relation || catalog === 'system' ? undefined : findSchema(schemas, schemaName);
    if (relation) relations.set(relation.name, relation);
    else if (schema && (isTable || tables.has(tableName))) used.add(schema);
    else if (withCatalog && isTable)
      throw new StatementFailed(
        'SCHEMA_NOT_FOUND',
        `Schema '${schemaName}' does not exist`,
        placeAt(text, first.start),
      );
    else continue;
    edits.push({
      start: first.start,
      end: at.start,
      text: isStar && at === chain.tokens.at(-1) ? '' : 'main.',
    });
  }
  const inSession = relationsOfSession(session);
  const found = [...relations.values(), ...(used.size === 0 ? inSession : [])];
  refuseMixed(used, relations);
  const schema =
    [...used][0] ?? (found.length === 0 && session.schema ? findSchema(schemas, session.schema) : undefined);
  return {
    ...edited(
      text,
      edits.sort((one, other) => one.start - other.start),
    ),
    schema,
    relations: found,
  };
}

function refuseMixed(used: ReadonlySet<Schema>, relations: ReadonlyMap<string, RelationName>): void {
  if (used.size > 1) throw new StatementFailed('NOT_SUPPORTED', 'A statement reads the tables of one schema');
  if (used.size > 0 && relations.size > 0)
    throw new StatementFailed(
      'NOT_SUPPORTED',
      'A statement reads either tables of a schema or relations about the catalog',
    );
  const names = [...relations.values()].map(({ table }) => table);
  if (new Set(names).size < names.length)
    throw new StatementFailed('NOT_SUPPORTED', 'A statement cannot read two relations of the same name');
}

/** Relations that a session names without a schema. */
function relationsOfSession({ catalog = catalogName, schema }: Session): RelationName[] {
  return schema === undefined
    ? []
    : relationsIn(schema === 'information_schema' ? catalogName : catalog, schema.toLowerCase());
}

/** Functions and words about the session, which the engine would answer about itself. */
function sessionValues(tokens: readonly Token[], { schema }: Session, user: string): Edit[] {
  const values: Readonly<Record<string, string | undefined>> = {
    current_user: user,
    current_catalog: catalogName,
    current_schema: schema,
  };
  return tokens.flatMap((token, index): Edit[] => {
    if (token.kind !== 'word' || tokens[index - 1]?.text === '.') return [];
    const { start, end, text } = token;
    const following = tokens.slice(index + 1, index + 3);
    const isCall = following[0]?.text === '(' && following[1]?.text === ')';
    if (isCall && text === 'version')
      return [{ start, end: following[1]?.end ?? end, text: literal(catalogName) }];
    if (isCall && text === 'current_timezone')
      return [{ start, end: following[1]?.end ?? end, text: "'UTC'" }];
    if (!Object.hasOwn(values, text) || following[0]?.text === '.' || following[0]?.text === '(') return [];
    const value = values[text];
    return [{ start, end, text: value === undefined ? 'NULL' : literal(value) }];
  });
}

/** Names of two and more parts, `a.b.c`, in lower case. */
function chainsOf(tokens: readonly Token[]): Chain[] {
  const chains: Chain[] = [];
  for (let at = 0; at < tokens.length; at++) {
    if (!isName(tokens[at]) || tokens[at - 1]?.text === '.') continue;
    let end = at + 1;
    while (tokens[end]?.text === '.' && isName(tokens[end + 1])) end += 2;
    if (end === at + 1) continue;
    const own = tokens.slice(at, end);
    chains.push({
      names: own.filter((_, index) => index % 2 === 0).map(nameOf),
      tokens: own,
      isTable: /^(?:from|join)$/.test(tokens[at - 1]?.text ?? ''),
      isStar: tokens[end]?.text === '.' && tokens[end + 1]?.text === '*',
    });
    at = end - 1;
  }
  return chains;
}

const isName = (token: Token | undefined): boolean => token?.kind === 'word' || token?.kind === 'name';

const nameOf = ({ kind, text }: Token): string =>
  kind === 'word' ? text : text.slice(1, -1).replaceAll('""', '"').toLowerCase();

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
