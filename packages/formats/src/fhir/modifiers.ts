/** Marks that change the meaning of the other fields of a resource. */
import { undefinedStatus } from './bindings.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { type FullUrls, readReference } from './reference.ts';

/**
 * Returns the name of a mark in a resource that may change its meaning, such as "did not have". Marks are extensions that must
 * not be ignored (R4, Extensibility) and foreign rules (R4, Resource.implicitRules). So are an undefined status, another person
 * as focus (R4, Observation.focus), and a dose without effect. `text`: the resource as JSON, in which `Extension` at the end of
 * a name is rare.
 */
export function modifierOf(
  resource: JsonObject,
  text: string,
  { patientId, fullUrls }: { patientId: string | undefined; fullUrls: FullUrls },
): string | undefined {
  if (typeof resource['implicitRules'] === 'string') return 'implicitRules';
  if (resource['focus'] !== undefined && isOfOther(resource, patientId, fullUrls)) return 'focus';
  if (hasFocusCode(resource)) return 'focus';
  // A dose that does not count as one (R4, Immunization.isSubpotent): no status expresses that.
  if (resource['isSubpotent'] === true && resource['resourceType'] === 'Immunization') return 'isSubpotent';
  const status = undefinedStatus(resource, String(resource['resourceType']));
  if (status !== undefined) return `a ${status} that FHIR does not define`;
  return text.includes('Extension"') && hasModifier(resource) ? 'modifierExtension' : undefined;
}

/** Code of a fetus, a donor or the like in place of a reference (R4, extension observation-focusCode). */
const focusCode = 'StructureDefinition/observation-focusCode';

function hasFocusCode({ extension }: JsonObject): boolean {
  return (
    Array.isArray(extension) && extension.some((one) => isObject(one) && `${one['url']}`.endsWith(focusCode))
  );
}

/** Types of a focus that is a being. */
const beings = new Set(['Patient', 'RelatedPerson', 'Person', 'Practitioner', 'Group']);

/** Returns whether an Observation is about another being, such as a fetus: its value is none of the patient. */
function isOfOther(
  { resourceType, focus }: JsonObject,
  patientId: string | undefined,
  urls: FullUrls,
): boolean {
  if (resourceType !== 'Observation') return false;
  return [focus].flat().some((one) => {
    const reference = isObject(one) ? one['reference'] : undefined;
    const target = typeof reference === 'string' ? readReference(reference, urls) : undefined;
    return target?.type !== undefined && beings.has(target.type) && target.id !== patientId;
  });
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
