import { literal } from '@ploidy/engine';
import { codeSystems } from '@ploidy/formats';
import { holdsSql, tables } from '@ploidy/formats/tables';
import { invalidInput, type Problem } from '../../../base/problem.ts';

/** Terms of the NCI Thesaurus for the sexes of Beacon, and the gender of FHIR that each is. */
const sexes = [
  { id: 'NCIT:C16576', label: 'female', gender: 'female' },
  { id: 'NCIT:C20197', label: 'male', gender: 'male' },
] as const;

/** Filter of a search: tables that join the samples' patients, conditions on them, and the names of these tables. */
export interface PatientFilter {
  joins: string;
  conditions: string;
  tables: readonly string[];
}

/**
 * Writes a filter by a term of an ontology (Beacon 2.0, "Filters"): a sex, or the code of a diagnosis, such as `HP:0001250`. It
 * joins, as small counts allow no inner statement. Problem 400 for an unknown prefix: an ignored filter would be a wrong count.
 */
export function filterOf(id: string, index: number): PatientFilter {
  const [one, coded] = [`f${index}`, `k${index}`];
  const sex = sexes.find((known) => known.id === id);
  if (sex)
    return {
      joins: `JOIN demographic AS ${one} ON ${one}.patient_id = s.patient_id`,
      conditions: `${one}.gender = ${literal(sex.gender)}`,
      tables: ['sequence', 'demographic'],
    };
  const [, prefix = '', code = ''] = /^([^:]+):(.+)$/.exec(id) ?? [];
  const found = codeSystems.find((system) => system.prefix.toLowerCase() === prefix.toLowerCase());
  if (!found) throw unknownTerm();
  const codes = [code, `${found.prefix}:${code}`].map(literal).join(', ');
  return {
    joins: `JOIN condition AS ${one} ON ${one}.patient_id = s.patient_id JOIN coding AS ${coded} ON ${coded}.resource_id = ${one}.id`,
    conditions: `${coded}.resource_type = 'Condition' AND ${coded}.path = 'code'
      AND ${coded}.system = ${literal(found.system)} AND ${coded}.code IN (${codes})
      AND ${holdsSql(tables.get('condition'), one)}`,
    tables: ['sequence', 'condition', 'coding'],
  };
}

function unknownTerm(): Problem {
  const known = codeSystems.map(({ prefix }) => prefix).join(', ');
  const ofSex = sexes.map(({ id }) => id).join(' or ');
  const message = `must be terms of ${known} for a diagnosis, or ${ofSex} for a sex`;
  return invalidInput([{ path: 'query/filters', message }]);
}

/** Lists the terms and ontologies of filters, for the document `filtering_terms`. */
export const filteringTerms = {
  resources: codeSystems.map(({ prefix, name, system, iriPrefix }) => ({
    ...{ id: prefix.toLowerCase(), name, url: system, namespacePrefix: prefix, iriPrefix },
  })),
  filteringTerms: sexes.map(({ id, label }) => ({ type: 'ontology', id, label, scopes: ['genomicVariant'] })),
};
