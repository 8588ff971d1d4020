import { type Engine, edited } from '@ploidy/engine';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../access/caller.ts';
import { inParallel } from '../../../platform/concurrency/in-parallel.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import type { Lake } from '../../lake/index.ts';
import type { CheckedQuery, Queries } from '../../queries/index.ts';
import { type Answered, done } from './answered.ts';
import { bindParameters, type Command, countParameters, readCommand } from './commands.ts';
import { refusalOf, StatementFailed } from './failure.ts';
import { type ResolvedText, resolveNames } from './qualified-names.ts';
import { type Contents, readsTables, relationOf } from './relations.ts';
import { findSchema, type Schema, type SchemaDeps, schemasOf } from './schemas.ts';
import { catalogName, changeOf, preparedText, type Session, textMaxBytes } from './session.ts';
import { columnsShown, definitionShown, likeOf, selectOf, statsShown } from './shows.ts';

/** Statement that is answered at once, that runs over the tables of a project, or that ends another one. */
export type Plan =
  | { kind: 'answered'; answer: Answered }
  | { kind: 'run'; project: ProjectRecord; text: string; checked: CheckedQuery }
  | { kind: 'kill'; id: string };

export interface PlanDeps extends SchemaDeps {
  engine: Engine;
  lake: Lake;
  queries: Queries;
}

type By = { caller: Caller; signal: AbortSignal };

/** Time in which the tables of a caller are not read again: a browsing tool asks about one after the other. */
const contentsMs = 2000;
/** Projects whose tables are read at once. */
const projectsAtOnce = 8;
const nestingMax = 3;

/** Decides what a statement of the protocol asks for. */
export class Planner {
  readonly #deps: PlanDeps;
  /** Views by caller: a change of rights makes another one. */
  readonly #contents = new LRUCache<Caller, Promise<Contents[]>>({ max: 100, ttl: contentsMs });

  constructor(deps: PlanDeps) {
    this.#deps = deps;
  }

  async plan(text: string, session: Session, by: By, nesting = 0): Promise<Plan> {
    requireLength(text);
    const command = readCommand(text);
    switch (command.kind) {
      case 'query':
        return this.#query(command.text, session, by);
      case 'execute':
        return this.#execute(preparedText(session, command.name), command.values, session, by, nesting);
      case 'executeImmediate':
        return this.#execute(command.text, command.values, session, by, nesting);
      case 'show':
        return this.#query(await this.#show(command, session, by), { ...session, schema: undefined }, by);
      case 'showCreate':
        return answered(await this.#showCreate(command, session, by));
      case 'showStats':
        return answered(statsShown(await this.#describe(command.text, session, by)));
      case 'explain':
        return answered(await this.#explain(command, session, by));
      case 'describeInput': {
        const count = countParameters(preparedText(session, command.name));
        const rows = Array.from({ length: count }, (_, position) => JSON.stringify([position, 'unknown']));
        return answered({ columns: [integer('Position'), varchar('Type')], lines: rows });
      }
      case 'describeOutput': {
        const { columns } = await this.#describe(preparedText(session, command.name), session, by);
        return answered(columnsShown(columns ?? []));
      }
      case 'kill':
        return { kind: 'kill', id: command.id };
      case 'use':
        return answered(await this.#use(command, session, by));
      default:
        return answered(changeOf(command, session));
    }
  }

  async #execute(text: string, values: string[], session: Session, by: By, nesting: number): Promise<Plan> {
    if (nesting === nestingMax)
      throw new StatementFailed('NOT_SUPPORTED', 'Statements are nested too deeply');
    requireLength(text);
    const command = readCommand(text);
    if (command.kind === 'query') return this.#query(command.text, session, by, values);
    return this.plan(edited(text, bindParameters(text, values)).sql, session, by, nesting + 1);
  }

  async #query(text: string, session: Session, by: By, values: string[] = []): Promise<Plan> {
    const resolved = await this.#resolve(text, session, by, values);
    if (!resolved.schema) return answered(await this.#lookUp(resolved, by));
    const project = resolved.schema.project;
    const { queries, engine } = this.#deps;
    const checked = await resolved.place(async () => {
      const found = await queries.check(project, resolved.sql, by);
      const { statement, shapes } = found;
      if (shapes) await engine.prove(resolved.sql, statement.sql, shapes, engineCallerOf(by));
      return found;
    });
    return { kind: 'run', project, text: resolved.sql, checked };
  }

  /** Binds parameters and resolves names. `place` maps errors of a check to their places in the text that was sent. */
  async #resolve(text: string, session: Session, by: By, values: string[]) {
    const bound = edited(text, bindParameters(text, values));
    const schemas = await schemasOf(this.#deps, by.caller);
    const resolved = resolveNames(bound.sql, session, schemas, by.caller.userId);
    const isAbout = resolved.schema !== undefined || resolved.relations.length > 0;
    const sent = {
      ...{ text, placeOf: (offset: number) => bound.placeOf(resolved.placeOf(offset)) },
      schema: isAbout ? '' : session.schema,
      isUnknown: !isAbout && session.schema !== undefined,
    };
    const place = <T>(work: () => Promise<T>): Promise<T> =>
      work().catch((error: unknown) => {
        const refusal = refusalOf(error, sent);
        throw refusal ? new StatementFailed(refusal.name, refusal.message, refusal.place) : error;
      });
    return { ...resolved, place };
  }

  async #lookUp(
    resolved: ResolvedText & { place<T>(work: () => Promise<T>): Promise<T> },
    by: By,
  ): Promise<Answered> {
    const { engine } = this.#deps;
    const { relations } = resolved;
    const contents =
      relations.length === 0 ? [] : await this.#contentsOf(by.caller, relations.some(readsTables));
    const tables = relations.map((relation) => relationOf(relation, contents));
    const statement = await resolved.place(async () => {
      const names = tables.map(({ name }) => name);
      const checked = await engine.check(resolved.sql, names, undefined, engineCallerOf(by));
      const shapes = tables.map(({ rows, ...shape }) => ({ ...shape, rowCount: rows.length }));
      const read = shapes.filter(({ name }) => checked.tables.includes(name));
      await engine.prove(resolved.sql, checked.sql, read, engineCallerOf(by));
      return checked;
    });
    const read = tables.filter(({ name }) => statement.tables.includes(name));
    return engine.lookUp({ sql: statement.sql, relations: read }, by.signal, by.caller.userId);
  }

  /** Schemas of the caller; with their tables, or without. */
  async #contentsOf(caller: Caller, withTables: boolean): Promise<Contents[]> {
    const { lake } = this.#deps;
    if (!withTables) return (await schemasOf(this.#deps, caller)).map((schema) => ({ schema, tables: [] }));
    const known = this.#contents.get(caller);
    if (known) return known;
    const read = schemasOf(this.#deps, caller).then(async (schemas) => {
      const contents: Contents[] = [];
      await inParallel(schemas, projectsAtOnce, async (schema, at) => {
        contents[at] = { schema, tables: await lake.schemas(schema.project.id, schema.access) };
      });
      return contents;
    });
    this.#contents.set(caller, read);
    read.catch(() => {
      if (this.#contents.get(caller) === read) this.#contents.delete(caller);
    });
    return read;
  }

  async #use(
    { catalog, schema: written }: Command & { kind: 'use' },
    session: Session,
    { caller }: By,
  ): Promise<Answered> {
    const wanted = (catalog ?? session.catalog ?? catalogName).toLowerCase();
    const known = wanted === 'system' || wanted === catalogName;
    if (!known) throw new StatementFailed('CATALOG_NOT_FOUND', `Catalog '${wanted}' does not exist`);
    const schema =
      wanted === 'system' || written === 'information_schema'
        ? written
        : this.#require(await schemasOf(this.#deps, caller), written).name;
    return done('USE', { 'Set-Catalog': wanted, 'Set-Schema': encodeURIComponent(schema) });
  }

  #require(schemas: readonly Schema[], written: string): Schema {
    const schema = findSchema(schemas, written);
    if (!schema) throw new StatementFailed('SCHEMA_NOT_FOUND', `Schema '${written}' does not exist`);
    return schema;
  }

  /** Writes SHOW and DESCRIBE as a SELECT over the relations about the catalogue. */
  async #show(command: Command & { kind: 'show' }, session: Session, by: By): Promise<string> {
    const { what } = command;
    if (what === 'catalogs' || what === 'functions') return selectOf(what, [], likeOf(command.like));
    const schemas = await schemasOf(this.#deps, by.caller);
    const names = [...command.names];
    const table = what === 'columns' ? names.pop() : undefined;
    const written = what === 'schemas' ? undefined : (names.pop() ?? session.schema);
    const catalog = names.pop() ?? catalogName;
    if (![catalogName, 'system'].includes(catalog.toLowerCase()))
      throw new StatementFailed('CATALOG_NOT_FOUND', `Catalog '${catalog}' does not exist`);
    if (what === 'schemas') return selectOf(what, [], likeOf(command.like));
    if (written === undefined)
      throw new StatementFailed(
        'MISSING_SCHEMA_NAME',
        'Schema must be specified when session schema is not set',
      );
    const isOwn = written.toLowerCase() === 'information_schema';
    const schema = isOwn ? 'information_schema' : this.#require(schemas, written).name;
    if (table === undefined) return selectOf(what, [schema], likeOf(what === 'tables' ? command.like : ''));
    const found = await this.#contentsOf(by.caller, true);
    const tables = found.find((one) => one.schema.name === schema)?.tables ?? [];
    if (!isOwn && !tables.some((one) => one.table === table.toLowerCase()))
      throw new StatementFailed(
        'TABLE_NOT_FOUND',
        `Table '${catalogName}.${schema}.${table}' does not exist`,
      );
    return selectOf(what, [schema, table.toLowerCase()], '');
  }

  /** Writes the definition of a table from its columns. */
  async #showCreate(
    { what, names }: Command & { kind: 'showCreate' },
    session: Session,
    by: By,
  ): Promise<Answered> {
    const written = names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
    const { columns = [] } = await this.#describe(`SELECT * FROM ${written}`, session, by);
    if (what === 'table') return definitionShown(written, columns);
    throw new StatementFailed('NOT_SUPPORTED', `Relation '${names.join('.')}' is a table, not a view`);
  }

  async #explain({ type, text }: Command & { kind: 'explain' }, session: Session, by: By): Promise<Answered> {
    const { columns, rows, tables } = await this.#describe(text, session, by);
    if (type === 'validate') return { columns: [{ name: 'Valid', type: 'BOOLEAN' }], lines: ['[true]'] };
    const plan =
      type === 'io'
        ? JSON.stringify({ inputTableColumnInfos: [], estimate: { outputRowCount: rows ?? 'NaN' } })
        : [
            `Tables: ${tables.join(', ') || 'none'}`,
            `Estimated rows: ${rows ?? 'unknown'}`,
            ...(columns ?? []).map((column) => `Output: ${column.name} ${column.type}`),
          ].join('\n');
    return { columns: [varchar('Query Plan')], lines: [JSON.stringify([plan])] };
  }

  /** Checks a statement and describes its result without running it. */
  async #describe(written: string, session: Session, by: By) {
    requireLength(written);
    const command = readCommand(written);
    if (command.kind !== 'query') throw new StatementFailed('NOT_SUPPORTED', 'Only a query can be described');
    const { text } = command;
    const values = Array.from({ length: countParameters(text) }, () => 'NULL');
    const resolved = await this.#resolve(text, session, by, values);
    const { engine, queries } = this.#deps;
    return resolved.place(async () => {
      const { project } = resolved.schema ?? {};
      if (project) {
        const { tables, columns, estimatedRows: rows } = await queries.preview(project, resolved.sql, by);
        return { tables, columns, rows };
      }
      const shapes = resolved.relations
        .map((relation) => relationOf(relation, []))
        .map(({ rows: _, ...shape }) => ({ ...shape, rowCount: 0 }));
      const names = shapes.map(({ name }) => name);
      const { sql, tables } = await engine.check(resolved.sql, names, undefined, engineCallerOf(by));
      const bound = await engine.bind(resolved.sql, sql, shapes, engineCallerOf(by));
      return { tables, columns: bound?.columns, rows: bound?.estimatedRows };
    });
  }
}

const answered = (answer: Answered): Plan => ({ kind: 'answered', answer });

const engineCallerOf = ({ caller, signal }: By) => ({ name: caller.userId, signal });

const varchar = (name: string) => ({ name, type: 'VARCHAR' });
const integer = (name: string) => ({ name, type: 'BIGINT' });

/** Reading a long text would keep the service from others; the guard would refuse it. */
function requireLength(text: string): void {
  const length = Buffer.byteLength(text);
  if (length > textMaxBytes)
    throw new StatementFailed(
      'QUERY_TEXT_TOO_LARGE',
      `Query text length (${length}) exceeds the maximum length (${textMaxBytes})`,
    );
}
