import { defineTable } from './table.ts';

/** Attribute of samples whose values are the names of the case lists that hold them. */
export const caseListAttribute = 'CASE_LIST';

/** Attributes of the patients and samples of a study. Their values are in `attribute_value`. */
export const attribute = defineTable({
  name: 'attribute',
  area: 'study',
  about: 'Attributes of patients and samples that a study defines, one row each.',
  plural: 'attributes',
  orderBy: ['attribute_id'],
  formats: ['study folders'],
  isExtension: true,
  columns: {
    attribute_id: ['string', 'none', 'Id of the attribute, such as `TUMOR_GRADE`.'],
    level: ['string', 'none', 'Whom it describes: `patient` or `sample`.'],
    name: ['string', 'none', 'Name for display.'],
    type: ['string', 'none', 'Type of the values: `string`, `number` or `boolean`.'],
    unit: ['string', 'none', 'Unit of the values.'],
    description: ['string', 'none', 'Meaning of the attribute.'],
    priority: ['int', 'none', 'Rank among the charts: a higher one precedes; 0 is hidden at first.'],
  },
});

/** Values of attributes, one row per attribute and subject. `is_shown` is decided when the file is read. */
export const attributeValue = defineTable({
  name: 'attribute_value',
  area: 'study',
  about: 'Values of the attributes of a study, one row per attribute and patient or sample.',
  plural: 'attributeValues',
  orderBy: ['attribute_id', 'patient_id'],
  formats: ['study folders'],
  isExtension: true,
  columns: {
    attribute_id: ['string', 'none', 'Row of `attribute`.'],
    patient_id: ['string', 'hash', 'Patient of the row.'],
    sample_id: ['string', 'hash', 'Sample, as `sequence.id` names it; NULL for a value of the patient.'],
    value: ['string', 'shown', 'Value as written.'],
    number: ['float', 'shown', 'Value of an attribute of type `number`; of `>20` it is 20.'],
    is_shown: [
      'boolean',
      'none',
      'Whether masked readers see the value: no rare text, no date, no age above 89.',
    ],
  },
});
