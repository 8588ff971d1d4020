import { tables } from '../tables/index.ts';
import { instantOf } from './dates.ts';
import type { JsonObject } from './json.ts';
import { isSubset } from './modifiers.ts';
import { type FullUrls, isId, readReference } from './reference.ts';

/** Types whose rows or codings are kept. A Medication fills no table: it names the substance of other resources. */
export const takenTypes: ReadonlySet<string> = new Set(
  ['Medication', ...[...tables.values()].flatMap(({ fhirTypes }) => fhirTypes)].sort(),
);

/** Identity of a resource. Only types in `takenTypes` need an id; others may have an empty one. */
export interface Identity {
  type: string;
  id: string;
  /** `YYYY-MM-DD HH:MM:SS.ffffff` in UTC. */
  lastUpdated: string | undefined;
}

const typeName = /^[A-Z][A-Za-z]{1,63}$/;
const noUrls: FullUrls = new Map();

/**
 * Reads the identity of a resource, or why it is refused. In a Bundle, a resource without `id` has that of its entry
 * (`request.url`), else the UUID or id of its `fullUrl`.
 */
export function identify(resource: JsonObject, entry?: JsonObject): Identity | string {
  const type = resource['resourceType'];
  if (type === undefined || type === null)
    return Array.isArray(resource['output'])
      ? 'it is the manifest of a Bulk Data export: fetch and ingest each file of its "output", and of its other pages ("link")'
      : 'it is not a FHIR resource: "resourceType" is missing';
  if (typeof type !== 'string' || !typeName.test(type)) return '"resourceType" is not the name of a type';
  const meta = resource['meta'];
  const stated = typeof meta === 'object' && meta !== null ? (meta as JsonObject)['lastUpdated'] : undefined;
  // Without a time, a part of a resource never counts as newer than the whole.
  const lastUpdated = typeof stated === 'string' && !isSubset(resource) ? instantOf(stated) : undefined;
  const given = resource['id'] ?? (entry && nameOf(entry, type));
  const id = typeof given === 'string' && isId(given) ? given : '';
  if (id !== '' || !takenTypes.has(type)) return { type, id, lastUpdated };
  if (given === undefined) return `the ${type} has no "id"`;
  return `the "id" of the ${type} must have 1 to 255 letters, digits, "-", ".", "_" or ":"`;
}

/** Returns the id of the version that a resource states. */
export function versionOf(resource: JsonObject): string | undefined {
  const meta = resource['meta'];
  const version = typeof meta === 'object' && meta !== null ? (meta as JsonObject)['versionId'] : undefined;
  return typeof version === 'string' && isId(version) ? version : undefined;
}

/** Returns the id under which an entry puts a resource of the type. */
function putId(entry: JsonObject, type: string): string | undefined {
  const { method, url } = requestOf(entry);
  const put = method === 'PUT' && url !== undefined ? readReference(url, noUrls) : undefined;
  return put?.type === type ? put.id : undefined;
}

/** Returns whether an entry stores a resource under another id than its own, which a server refuses (R4 §3.1.0.4). */
export function isPutElsewhere(entry: JsonObject, { type, id }: Identity): boolean {
  const put = putId(entry, type);
  return put !== undefined && put !== id;
}

/** Returns the id that an entry assigns to a resource of the type without an id. */
function nameOf(entry: JsonObject, type: string): string | undefined {
  const put = putId(entry, type);
  if (put !== undefined) return put;
  const fullUrl = entry['fullUrl'];
  return typeof fullUrl === 'string' ? readReference(fullUrl, noUrls)?.id : undefined;
}

/**
 * Returns the request of an entry of a batch, transaction or history. The method is in capitals, and empty without one. The URL is
 * relative to the server, also with a leading slash.
 */
function requestOf(entry: JsonObject): { method: string; url: string | undefined } {
  const request = entry['request'];
  if (typeof request !== 'object' || request === null) return { method: '', url: undefined };
  const { method, url } = request as JsonObject;
  return {
    method: typeof method === 'string' ? method.toUpperCase() : '',
    url: typeof url === 'string' ? url.replace(/^\//, '') : undefined,
  };
}

/**
 * Returns whether a Bundle entry changes a part of a resource, as Parameters or a Binary describe (R4 §3.1.0.6). In a history
 * the entry holds the resource itself, after the patch.
 */
export function isPatch(entry: JsonObject): boolean {
  if (requestOf(entry).method !== 'PATCH') return false;
  const resource = entry['resource'];
  if (typeof resource !== 'object' || resource === null) return true;
  const type = (resource as JsonObject)['resourceType'];
  return type === 'Parameters' || type === 'Binary';
}

/**
 * Reads a Bundle entry that removes a resource (R4 §2.36: `request.method` is DELETE, `request.url` is `Type/id`). `unknown`:
 * it names no resource, as a conditional deletion (`Type?…`), or only one version of it. A deletion in a history names the
 * version that it made; elsewhere, one to be removed (`Type/id/_history/version`, R5 §3.2.0.7).
 */
export function readDeletion(entry: JsonObject, isHistory: boolean): Identity | 'unknown' | undefined {
  const { method, url } = requestOf(entry);
  if (method !== 'DELETE') return undefined;
  const isWhole = url !== undefined && (isHistory || !url.includes('/_history/'));
  const target = isWhole ? readReference(url, noUrls) : undefined;
  if (target?.type === undefined) return 'unknown';
  const response = entry['response'];
  const time =
    typeof response === 'object' && response !== null ? (response as JsonObject)['lastModified'] : undefined;
  const lastUpdated = typeof time === 'string' ? instantOf(time) : undefined;
  return { type: target.type, id: target.id, lastUpdated };
}
