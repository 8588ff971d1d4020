/** Marks that change the meaning of the other fields of a resource. */
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/**
 * Returns the name of a mark in a resource that may reverse its meaning, such as "did not have": extensions that must not be
 * ignored (R4, Extensibility) and foreign rules (R4, Resource.implicitRules). `text`: the resource as JSON, in which the end of
 * their name is rare.
 */
export function modifierOf(resource: JsonObject, text: string): string | undefined {
  if (typeof resource['implicitRules'] === 'string') return 'implicitRules';
  return text.includes('Extension"') && hasModifier(resource) ? 'modifierExtension' : undefined;
}

function hasModifier(resource: JsonObject): boolean {
  const open: JsonValue[] = [resource];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) open.push(...value.filter((item) => typeof item === 'object'));
    else if (isObject(value)) {
      const stated = value['modifierExtension'];
      if (Array.isArray(stated) ? stated.length > 0 : isObject(stated)) return true;
      for (const member of Object.values(value)) if (typeof member === 'object') open.push(member);
    }
  }
  return false;
}

/** Returns whether a server marked a resource as a part of itself, which must not replace the whole (R4, Search: Summary). */
export function isSubset(resource: JsonObject): boolean {
  const meta = resource['meta'];
  const tags = isObject(meta) ? meta['tag'] : undefined;
  return Array.isArray(tags) && tags.some((tag) => isObject(tag) && tag['code'] === 'SUBSETTED');
}
