/**
 * Scope of SMART App Launch 2.2, §"Scopes for requesting FHIR Resources": `user/Observation.rs?category=laboratory`. Version 1 has
 * `.read` in place of `.rs`.
 */
export interface SmartScope {
  /** `patient`: resources of the patient of the launch alone. */
  level: 'user' | 'system' | 'patient';
  /** FHIR type, or `*` for all. */
  type: string;
  /** Resources can be read by their ids. */
  reads: boolean;
  /** Resources can be searched and exported. */
  searches: boolean;
  /** Search that resources must match; empty: all. */
  query: string;
}

const form =
  /^(user|system|patient)\/(\*|[A-Z][A-Za-z]{1,62})\.(read|\*|c?r?u?d?s?)(?:\?([\x21-\x7e]{1,500}))?$/;

/** Reads a scope of SMART; undefined for other scopes, and for those without a right to read. */
export function smartScopeIn(word: string): SmartScope | undefined {
  const [, level, type = '', letters = '', query = ''] = form.exec(word) ?? [];
  const all = letters === 'read' || letters === '*';
  const [reads, searches] = [all || letters.includes('r'), all || letters.includes('s')];
  if (level === undefined || (!reads && !searches)) return undefined;
  return { level: level as SmartScope['level'], type, reads, searches, query };
}

/** Reads the scopes of SMART among those of a token. */
export const smartScopesIn = (scope: string): SmartScope[] =>
  scope.split(' ').flatMap((word) => smartScopeIn(word) ?? []);

/** Scope that asks for the patient of the launch. */
export const launchPatient = 'launch/patient';

/** Reports whether tokens of these scopes are given for one patient. */
export const asksPatient = (scope: string): boolean =>
  scope.split(' ').includes(launchPatient) || smartScopesIn(scope).some(({ level }) => level === 'patient');

/** Reports whether one scope includes another. */
export const coversScope = (allowed: SmartScope, asked: SmartScope): boolean =>
  allowed.level === asked.level &&
  (allowed.type === '*' || allowed.type === asked.type) &&
  (allowed.reads || !asked.reads) &&
  (allowed.searches || !asked.searches) &&
  (allowed.query === '' || allowed.query === asked.query);

/** Writes a scope as it is granted: nothing but reading and searching. */
export const smartText = ({ level, type, reads, searches, query }: SmartScope): string =>
  `${level}/${type}.${reads ? 'r' : ''}${searches ? 's' : ''}${query === '' ? '' : `?${query}`}`;
