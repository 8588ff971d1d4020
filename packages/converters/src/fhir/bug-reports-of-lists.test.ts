/** Lists, codes and names in public bug reports of other tools. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const observation = (more: object) => ({
  resourceType: 'Observation',
  id: 'o',
  subject: { reference: 'Patient/p' },
  ...more,
});
async function taken(
  content: object,
  table: string,
  ...columns: string[]
): Promise<{ rows: string[]; warnings: string[] }> {
  const converted = await fixture.convertResources(content);
  return {
    rows: converted.rows(table).map((row) => columns.map((column) => String(row[column] ?? '-')).join('|')),
    warnings: converted.warnings.map(({ message }) => message),
  };
}

test('lists, codes and names of other systems become what they mean, or NULL', async () => {
  const meaning = (code: string) => ({
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/referencerange-meaning', code }],
  });
  const range = (low: number, high: number, more: object = {}) => ({
    ...{ low: { value: low }, high: { value: high } },
    ...more,
  });
  const ranges = ['reference_low', 'reference_high'];
  const request = (more: object) => ({
    ...{ resourceType: 'MedicationRequest', id: 'm', subject: { reference: 'Patient/p' } },
    ...more,
  });
  const display = 'Hydrocortisone Acetate/Pramoxine';
  const packet = (more: object) => ({
    id: 'x',
    subject: { id: 'p' },
    metaData: { phenopacketSchemaVersion: '2.0' },
    ...more,
  });
  const cases: [link: string, content: object, table: string, columns: readonly string[], row: string][] = [
    [
      'openmrs/openmrs-module-fhir2#82',
      observation({
        referenceRange: [
          range(1, 99, { type: meaning('treatment') }),
          range(0, 200, {
            type: {
              coding: [{ system: 'http://fhir.openmrs.org/ext/obs/reference-range', code: 'absolute' }],
            },
          }),
          range(5, 10, { type: meaning('normal') }),
        ],
      }),
      ...(['observation', ranges, '5|10'] as const),
    ],
    [
      'openpharma/elaborator#14',
      observation({ referenceRange: [range(1, 2, { text: 'male' }), range(3, 4, { text: 'female' })] }),
      ...(['observation', ranges, '-|-'] as const),
    ],
    [
      'department-of-veterans-affairs/vets-api#22667',
      observation({
        referenceRange: [{ text: 'YELLOW' }, { type: { text: 'Normal Range' }, ...range(150, 400) }],
      }),
      ...(['observation', ranges, '150|400'] as const),
    ],
    ['openemr/openemr#3933', observation({ status: 'FINAL' }), 'observation', ['status'], 'final'],
    [
      'Interop-Sante/hl7.fhir.fr.core#71',
      { resourceType: 'Patient', id: 'p', gender: 'UN' },
      ...(['demographic', ['gender'], 'other'] as const),
    ],
    [
      'onc-healthit/onc-certification-g10-test-kit#345',
      request({ medicationReference: { display, reference: 'https://h/fhir/R4/Medication/45802014464' } }),
      ...(['medication', ['code', 'text'], `-|${display}`] as const),
    ],
    [
      'drajer-health/eCRNow#123',
      request({
        contained: [
          {
            ...{ resourceType: 'Medication', id: 'c' },
            ingredient: [
              { itemCodeableConcept: { coding: [{ code: '1', display: 'Aspirin' }] }, isActive: true },
              { itemCodeableConcept: { coding: [{ code: '2', display: 'Starch' }] }, isActive: false },
            ],
          },
        ],
        medicationReference: { reference: '#c' },
      }),
      ...(['medication', ['code', 'display'], '1|Aspirin'] as const),
    ],
    [
      'cerner/fhir.cerner.com#123',
      request({
        contained: [
          {
            ...{ resourceType: 'Medication', id: 'c' },
            ingredient: ['Heparin', 'Saline'].map((name) => ({ itemCodeableConcept: { text: name } })),
          },
        ],
        medicationReference: { reference: '#c' },
      }),
      ...(['medication', ['code', 'text'], '-|Heparin + Saline'] as const),
    ],
    [
      'phenotips/phenotips#1838',
      {
        resourceType: 'Patient',
        id: 'p',
        _deceasedDateTime: { extension: [{ url: 'x', valueCode: 'unknown' }] },
      },
      ...(['demographic', ['is_deceased', 'deceased_date'], 'true|-'] as const),
    ],
    [
      'monarch-initiative/phenopacket-store#187',
      packet({ measurements: [{ assay: { id: 'LOINC:1668-3' }, value: { quantity: { value: 3 } } }] }),
      ...(['observation', ['code', 'value_quantity'], '1668-3|3'] as const),
    ],
    [
      'phenopackets/phenopacket-tools#186',
      packet({ diseases: [{ term: { id: 'OMIM:120435', label: 'L' }, onset: {} }] }),
      ...(['condition', ['code', 'onset_date'], '120435|-'] as const),
    ],
  ];
  for (const [link, content, table, columns, row] of cases) {
    const { rows, warnings } = await taken(content, table, ...columns);
    assert.deepEqual(rows, [row], link);
    assert.ok(
      warnings.every((one) => /phenopacket/.test(one)),
      `${link}: ${warnings}`,
    );
  }
});
