import { isObject, type JsonObject, type JsonValue } from '@ploidy/formats/fhir';
import { type Element, isR4, type Place, resourceType } from '@ploidy/formats/fhir-r4';
import type { Search } from './search.ts';
import type { ResourceRow } from './statement.ts';

/** Resource of an answer: its text, which is that of its source where nothing is left out. */
export interface ShownResource {
  type: string;
  id: string;
  text: string;
  content: JsonObject;
}

/** Reads a row; undefined for a resource that has not the form of R4, by which a strict client would lose the page. */
export function shownOf(
  row: ResourceRow,
  search?: Pick<Search, 'summary' | 'elements'>,
): ShownResource | undefined {
  const sent = JSON.parse(row.data) as JsonObject;
  if (!isR4(sent)) return undefined;
  const { type, id } = row;
  const content = sent['id'] === id ? sent : exact(row);
  const isPart = search?.elements !== undefined || ['true', 'text', 'data'].includes(search?.summary ?? '');
  const text = isPart ? JSON.stringify(partOf(exact(row), search)) : textOf(row);
  return { type, id, text, content };
}

/** Returns the text of a resource with the id that it has in the lake: an ingestion may give one, or a prefix. */
export function textOf(row: ResourceRow): string {
  const { id } = JSON.parse(row.data) as JsonObject;
  return id === row.id ? row.data : JSON.stringify(exact(row));
}

/** Parses a resource so that numbers keep their digits when they are written again. */
function exact({ data, id }: ResourceRow): JsonObject {
  const keep = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' && context?.source !== undefined ? JSON.rawJSON(context.source) : value;
  const content = JSON.parse(data, keep as (key: string, value: unknown) => unknown) as JsonObject;
  const prefix =
    typeof content['id'] === 'string' && id.endsWith(content['id']) ? id.slice(0, -content['id'].length) : '';
  return { ...((prefix === '' ? content : withPrefix(content, prefix)) as JsonObject), id };
}

/** Gives references the prefix that the ingestion gave all ids of its file. */
function withPrefix(value: JsonValue, prefix: string): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withPrefix(one, prefix));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    if (key === 'reference' && typeof member === 'string')
      return [key, member.replace(/^(.*\/)?([A-Z][A-Za-z]+\/)([^/]+)$/, `$2${prefix}$3`)];
    return [key, withPrefix(member as JsonValue, prefix)];
  });
  return Object.fromEntries(entries);
}

const subsetted = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'SUBSETTED',
};

/** Keeps the elements of a summary, or those that were asked for, with all mandatory ones (R4 §3.1.1.5.8). */
function partOf(
  content: JsonObject,
  search: Pick<Search, 'summary' | 'elements'> = { summary: 'false' },
): object {
  const known = resourceType(String(content['resourceType']));
  const isKept = keeping(search);
  const kept = Object.entries(content).filter(([key]) => {
    const element = known?.get(key.startsWith('_') ? key.slice(1) : key);
    return element !== undefined && (element.isMandatory || isKept(element));
  });
  const meta = (isObject(content['meta']) ? content['meta'] : {}) as JsonObject;
  const tags = Array.isArray(meta['tag']) ? meta['tag'] : [];
  const { resourceType: type, id, meta: _, ...rest } = Object.fromEntries(kept);
  return { resourceType: type, id, meta: { ...meta, tag: [...tags, subsetted] }, ...rest };
}

function keeping({ summary, elements }: Pick<Search, 'summary' | 'elements'>): (element: Element) => boolean {
  const always = new Set(['id', 'meta']);
  if (elements) {
    const wanted = new Set([...always, ...elements.map((path) => path.split('.')[0] ?? '')]);
    return ({ name }) => wanted.has(name);
  }
  if (summary === 'text') return ({ name }) => always.has(name) || name === 'text';
  if (summary === 'data') return ({ name }) => name !== 'text';
  return ({ name, isSummary }) => always.has(name) || isSummary;
}

/**
 * Returns the resources that the references at places name: `Type/id`, or an id alone for `urn:uuid:`. `target`: only those to a
 * type.
 */
export function namesIn(content: JsonObject, places: readonly Place[], target: string | undefined): string[] {
  return places.flatMap((place) => {
    const found = place.steps.reduce<JsonValue[]>(
      (values, { name }) => values.flatMap((value) => valuesOf(value, name)),
      [content],
    );
    const wanted = target ?? place.target;
    return found.flatMap((one) => {
      const reference = isObject(one) ? one['reference'] : one;
      const [, type, id] = typeof reference === 'string' ? (named.exec(reference) ?? []) : [];
      if (id === undefined || (type !== undefined && wanted !== undefined && type !== wanted)) return [];
      return [type === undefined ? id : `${type}/${id}`];
    });
  });
}

const named = /^(?:(?:.*\/)?([A-Z][A-Za-z]+)\/|urn:(?:uuid|oid):)([\w.:-]{1,255})(?:\/_history\/[^/]+)?$/;

function valuesOf(value: JsonValue, name: string): JsonValue[] {
  const member = isObject(value) ? value[name] : undefined;
  if (member === undefined || member === null) return [];
  return Array.isArray(member) ? member : [member];
}
