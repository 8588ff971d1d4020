import { resourceType, resourceTypes } from '@ploidy/formats/fhir-r4';
import type { Caller } from '../../../access/caller.ts';
import type { Pages } from '../../../api/paging.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import { bundle, notes } from './bundle.ts';
import { isOfPatient } from './conditions.ts';
import { requireScope, requireShown } from './limited-readers.ts';
import type { MadeGroup, ReadBy, ResourceReader } from './reader.ts';
import { namesIn, type ShownResource, shownOf, textOf } from './resource-text.ts';
import { type Pairs, readSearch, type Search } from './search.ts';
import { type Cursor, type ResourceRow, Statement } from './statement.ts';

interface FhirDeps {
  reader: ResourceReader;
  pages: Pages;
  publicUrl: () => string;
  /** Lists the cohorts of a project that the caller may read, as groups. */
  groupsOf: (project: ProjectRecord, caller: Caller) => Promise<MadeGroup[]>;
}

/** Text of a resource with the version that it states. */
export interface ReadResource {
  text: string;
  versionId: string | undefined;
  lastUpdated: string | undefined;
}

/** Parameters of a page that count, and the position of its beginning. */
interface Place {
  used: Pairs;
  cursor: Cursor;
}

/** Included resources of a page. */
const includedMax = 1000;
/** Resources of a page of `$everything`. */
const everythingSize = 200;

/** Answers reads and searches of the FHIR interface with texts of JSON. */
export class FhirApi {
  readonly #deps: FhirDeps;

  constructor(deps: FhirDeps) {
    this.#deps = deps;
  }

  /** Returns the address under which a project's resources are. */
  base({ account, id }: Pick<ProjectRecord, 'account' | 'id'>): string {
    return `${this.#deps.publicUrl()}/${account}/v1/fhir/${id}`;
  }

  /** Reads one resource, in whatever form it is. */
  async read(project: ProjectRecord, type: string, id: string, by: ReadBy): Promise<ReadResource> {
    requireType(type);
    requireScope(by.caller, [type], true);
    const statement = this.#statement(project);
    const asked = {
      sql: statement.one(type, id),
      statement,
      isRead: true,
      groups: await this.#groups(project, [type], by),
    };
    const [row] = await this.#deps.reader.rows(project, asked, by, type === 'Patient' ? [id] : undefined);
    if (!row) throw notFound();
    const meta = Object(JSON.parse(row.data).meta) as { versionId?: string; lastUpdated?: string };
    return { text: textOf(row), versionId: meta.versionId, lastUpdated: meta.lastUpdated };
  }

  /** Returns the history of a resource: a Bundle of the only version that is kept. */
  async history(project: ProjectRecord, type: string, id: string, by: ReadBy): Promise<string> {
    const { text, versionId, lastUpdated } = await this.read(project, type, id, by);
    const url = `${this.base(project)}/${type}/${encodeURIComponent(id)}`;
    const entry = JSON.stringify({
      fullUrl: url,
      request: { method: 'PUT', url: `${type}/${id}` },
      response: { status: '200', etag: versionId && `W/"${versionId}"`, lastModified: lastUpdated },
    });
    const entries = [`${entry.slice(0, -1)},"resource":${text}}`];
    return bundle({ type: 'history', self: `${url}/_history`, total: 1, entries });
  }

  /** Searches resources of a type; returns a Bundle. */
  async search(
    project: ProjectRecord,
    type: string,
    { pairs, isLenient, page }: { pairs: Pairs; isLenient: boolean; page: string | undefined },
    by: ReadBy,
  ): Promise<string> {
    requireType(type);
    requireScope(by.caller, [type], false);
    const scope = this.#scope(project, type, by);
    const place = this.#place(page, scope);
    const search = readSearch(type, place?.used ?? pairs, isLenient);
    if (this.#deps.reader.isMasked(project, by.caller)) requireShown(search);
    const groups = await this.#groups(project, typesOf(search), by);
    const total = await this.#total(project, search, groups, by);
    const self = `${this.base(project)}/${type}`;
    if (search.summary === 'count')
      return bundle({ self: addressOf(self, search.used), total, entries: notes(search, 0) });
    const statement = this.#statement(project);
    const asked = { sql: statement.page(search, place?.cursor), statement, groups };
    const rows = await this.#deps.reader.rows(project, asked, by, patientsOf(search));
    const matches = rows.slice(0, search.count);
    const shown = matches.flatMap((row) => shownOf(row, search) ?? []);
    const included = await this.#included(project, search, shown, by);
    const isLast = (rows[0]?.found ?? 0) <= matches.length;
    const last = matches.at(-1);
    return bundle({
      self: addressOf(self, search.used),
      next: isLast || !last ? undefined : this.#next(self, { used: search.used, cursor: last.keys }, scope),
      // The only page has all of them.
      total: total ?? (isLast && !place ? matches.length : undefined),
      entries: [
        ...shown.map((one) => this.#entry(project, one, 'match')),
        ...included.map((one) => this.#entry(project, one, 'include')),
        ...notes(search, matches.length - shown.length),
      ],
    });
  }

  /** Returns a page of all resources of a patient. */
  async everything(
    project: ProjectRecord,
    patient: string,
    {
      types,
      count,
      page,
    }: { types: string | undefined; count: number | undefined; page: string | undefined },
    by: ReadBy,
  ): Promise<string> {
    await this.read(project, 'Patient', patient, by);
    const scope = this.#scope(project, `Patient/${patient}/$everything`, by);
    const place = this.#place(page, scope);
    const asked: Pairs = [
      ...(types === undefined ? [] : [['_type', types] as const]),
      ...(count === undefined ? [] : [['_count', String(count)] as const]),
    ];
    const used = place?.used ?? asked;
    const of = (name: string) => used.find(([one]) => one === name)?.[1];
    const wanted = of('_type')?.split(',') ?? [];
    const size = Number(of('_count') ?? everythingSize);
    for (const type of wanted) requireType(type);
    const statement = this.#statement(project);
    const chosen = wanted.length > 0 ? wanted : resourceTypes;
    const sql = statement.everything(patient, chosen, size, place?.cursor);
    const rows = await this.#deps.reader.rows(project, { sql, statement }, by, [patient]);
    const matches = rows.slice(0, size);
    const shown = matches.flatMap((row) => shownOf(row) ?? []);
    const last = matches.at(-1);
    const isLast = (rows[0]?.found ?? 0) <= matches.length;
    const self = `${this.base(project)}/Patient/${encodeURIComponent(patient)}/$everything`;
    return bundle({
      self: addressOf(self, used),
      next: isLast || !last ? undefined : this.#next(self, { used, cursor: last.keys }, scope),
      total: isLast && !place ? matches.length : undefined,
      entries: [
        ...shown.map((one) => this.#entry(project, one, 'match')),
        ...notes({ type: 'Patient', ignored: [] }, matches.length - shown.length),
      ],
    });
  }

  #statement(project: ProjectRecord): Statement {
    return new Statement(this.base(project), Date.now());
  }

  async #groups(project: ProjectRecord, types: readonly string[], { caller }: ReadBy): Promise<MadeGroup[]> {
    return types.includes('Group') ? this.#deps.groupsOf(project, caller) : [];
  }

  async #total(
    project: ProjectRecord,
    search: Search,
    groups: MadeGroup[],
    by: ReadBy,
  ): Promise<number | undefined> {
    if (!search.withTotal && search.summary !== 'count') return undefined;
    const statement = this.#statement(project);
    const asked = { sql: statement.count(search), statement, groups };
    return this.#deps.reader.count(project, asked, by, patientsOf(search));
  }

  /** Reads the resources that those of a page refer to, or that refer to them. Problem 422 for too many. */
  async #included(
    project: ProjectRecord,
    { includes, reverseIncludes }: Search,
    shown: readonly ShownResource[],
    by: ReadBy,
  ): Promise<ShownResource[]> {
    const known = new Set(shown.map(({ type, id }) => `${type}/${id}`));
    const found = new Map<string, ResourceRow>();
    const take = async (sql: string, statement: Statement, groups: MadeGroup[] = []): Promise<void> => {
      const rows = await this.#deps.reader.rows(project, { sql, statement, groups }, by);
      for (const row of rows) found.set(`${row.type}/${row.id}`, row);
      if (found.size <= includedMax && (rows[0]?.found ?? 0) <= rows.length) return;
      const message = `The page includes more than ${includedMax} resources. Send a smaller _count.`;
      throw new Problem(422, 'FHIR_SIZE', message);
    };
    const names = new Set(
      includes.flatMap(({ parameter, target }) =>
        shown.flatMap(({ content }) => namesIn(content, parameter.places, target)),
      ),
    );
    if (names.size > 0) {
      const types = [...names].map((name) => name.split('/')[0] ?? '');
      const statement = this.#statement(project);
      await take(statement.named([...names], includedMax), statement, await this.#groups(project, types, by));
    }
    for (const { source, parameter } of known.size > 0 ? reverseIncludes : []) {
      const statement = this.#statement(project);
      const groups = await this.#groups(project, [source], by);
      await take(statement.naming(source, parameter, [...known], includedMax), statement, groups);
    }
    return [...found].flatMap(([name, row]) => (known.has(name) ? [] : (shownOf(row) ?? [])));
  }

  #entry(project: ProjectRecord, { type, id, text }: ShownResource, mode: 'match' | 'include'): string {
    const url = JSON.stringify(`${this.base(project)}/${type}/${encodeURIComponent(id)}`);
    return `{"fullUrl":${url},"resource":${text},"search":{"mode":"${mode}"}}`;
  }

  /** A page is only for the caller who got its address, while the rights are the same. */
  #scope({ id }: ProjectRecord, list: string, { caller }: ReadBy): string {
    return JSON.stringify(['fhir', id, list, caller.rightsKey, caller.rightsDigest]);
  }

  #place(page: string | undefined, scope: string): Place | undefined {
    const position = this.#deps.pages.position(page, scope, 'query/_page');
    return position && (JSON.parse(String(position[0])) as Place);
  }

  #next(self: string, place: Place, scope: string): string {
    return `${self}?_page=${this.#deps.pages.token([JSON.stringify(place)], scope)}`;
  }
}

/** Refuses a type that R4 does not have, or that is not served. */
function requireType(type: string): void {
  if (resourceType(type)) return;
  throw new Problem(404, 'NOT_FOUND', 'This type is not served. `metadata` lists those that are.');
}

/** Lists the types of which a search compares resources. */
function typesOf({ type, criteria }: Pick<Search, 'type' | 'criteria'>): string[] {
  const linked = criteria.flatMap(({ chained, referring }) => chained ?? referring ?? []);
  return [type, ...linked.flatMap((one) => typesOf({ type: one.type, criteria: [one.criterion] }))];
}

/** Returns the patients outside of whom a search finds nothing, and needs nothing. */
function patientsOf({ type, criteria }: Search): readonly string[] | undefined {
  // Resources that a reference links may be of another patient, or of none.
  if (criteria.some(({ chained, referring }) => chained || referring)) return undefined;
  for (const { parameter, modifier, values } of criteria) {
    if (type === 'Patient' && !parameter) return values.map(idIn);
    if (!parameter || !isOfPatient(parameter) || modifier) continue;
    const form = parameter.name === 'patient' ? plainId : patientReference;
    if (values.every((value) => form.test(value))) return values.map(idIn);
  }
  return undefined;
}

const plainId = /^(?:Patient\/)?[\w.:-]+$/;
const patientReference = /^Patient\/[\w.:-]+$/;
const idIn = (value: string): string => value.replace(/^Patient\//, '');

/** Returns the address of a search with its parameters. */
function addressOf(self: string, used: Pairs): string {
  const query = new URLSearchParams(used.map(([name, value]) => [name, value])).toString();
  return query === '' ? self : `${self}?${query}`;
}
