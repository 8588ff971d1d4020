import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { dataType, type Element, type Elements, elementsOfPrimitives, resourceType } from './elements.ts';

/** Forms of texts of R4 that clients read strictly (R4 §2.24.0.1). */
const forms: Readonly<Record<string, RegExp>> = {
  date: /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/,
  dateTime:
    /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01])(T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]\d\d:\d\d))?)?)?$/,
  instant:
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  time: /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?$/,
  id: /^[A-Za-z0-9.-]{1,64}$/,
};
const numbers = new Set(['decimal', 'integer', 'positiveInt', 'unsignedInt']);

/**
 * Reports whether a resource has the form of R4: no element of another release, no value of another type, every mandatory
 * element. Strict clients fail for a whole page by one resource that has not. Values of code systems are not checked.
 */
export function isR4(resource: JsonObject): boolean {
  const elements = resourceType(String(resource['resourceType']));
  return elements !== undefined && hasForm(resource, elements);
}

function hasForm(value: JsonObject, elements: Elements): boolean {
  for (const key in value) {
    const isExtended = key.startsWith('_');
    const element = elements.get(isExtended ? key.slice(1) : key);
    const member = value[key] as JsonValue;
    if (!element || !(isExtended ? hasExtensions(member, element) : isValue(member, element))) return false;
  }
  return hasMandatory(value, elements);
}

/** Reports whether each mandatory element is there; of a choice, one of its names. */
function hasMandatory(value: JsonObject, elements: Elements): boolean {
  const missing = new Set<string>();
  const present = new Set<string>();
  for (const [key, { name, isMandatory }] of elements) {
    if (!isMandatory) continue;
    if (key in value || `_${key}` in value) present.add(name);
    else missing.add(name);
  }
  return [...missing].every((name) => present.has(name));
}

function isValue(value: JsonValue, element: Element): boolean {
  if (!element.isList) return isOne(value, element);
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((one) => one === null || isOne(one, element));
}

function isOne(value: JsonValue, { type, within }: Element): boolean {
  if (type === 'Resource') return isObject(value) && isR4(value);
  const elements = within?.() ?? dataType(type);
  if (elements) return isObject(value) && hasForm(value, elements);
  if (type === 'boolean') return typeof value === 'boolean';
  if (numbers.has(type)) return typeof value === 'number';
  return typeof value === 'string' && (forms[type]?.test(value) ?? true);
}

/** Reports whether `_name` has the extensions of a primitive value, or of each of a list. */
function hasExtensions(value: JsonValue, { type, within, isList }: Element): boolean {
  if (within || dataType(type) || type === 'Resource') return false;
  const isPart = (part: JsonValue): boolean => isObject(part) && hasForm(part, elementsOfPrimitives);
  if (!isList) return isPart(value);
  return Array.isArray(value) && value.every((one) => one === null || isPart(one));
}
