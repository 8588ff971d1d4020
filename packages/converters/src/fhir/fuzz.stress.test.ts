import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { InputError } from '@ploidy/formats';
import { parseJson } from '@ploidy/formats/fhir-documents';
import fc from 'fast-check';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { ConversionFixture } from './conversion.fixture.ts';

let fixture: ConversionFixture;
before(async () => {
  fixture = await ConversionFixture.open();
});
after(() => fixture.close());

const files = ['Condition', 'MedicationRequest', 'Patient', 'Procedure'].map(
  (type) => `fhir/10-patients/${type}.ndjson`,
);

/** Returns a few real lines, or a part of a real Bundle that is one itself. */
function realText(seed: number): Buffer {
  if (seed % 3 === 0) {
    const bundle = JSON.parse(readFileSync(sharedData('fhir/bundles/Ned_Hintz.json'), 'utf8'));
    const entry = bundle.entry.slice(seed % 100, (seed % 100) + 5);
    return Buffer.from(JSON.stringify({ ...bundle, entry }, undefined, seed % 2));
  }
  const lines = readFileSync(sharedData(files[seed % files.length] ?? ''), 'utf8').split('\n');
  const start = seed % Math.max(1, lines.length - 5);
  return Buffer.from(lines.slice(start, start + 4).join('\n'));
}

const pieces = [
  '',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n',
  '\u0000',
  'null',
  '5',
  '-',
  '"x"',
  '[[',
  '{"a":1}',
  '\u001f',
  '\\u0000',
];
const edit = fc.record({
  /** Millionths of the text. */
  at: fc.nat({ max: 1_000_000 }),
  remove: fc.constantFrom(0, 0, 1, 1, 2, 7, 40),
  put: fc.constantFrom(
    ...pieces.map((piece) => Buffer.from(piece)),
    Buffer.from([0xff]),
    Buffer.from([0xc3]),
  ),
});

function mutate(source: Uint8Array, edits: { at: number; remove: number; put: Uint8Array }[]): Uint8Array {
  let bytes = source;
  for (const { at, remove, put } of edits) {
    const place = Math.floor((at / 1_000_000) * bytes.length);
    bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + remove)]);
  }
  return bytes;
}

test('mutated real sources are converted or refused with a reason, never more', {
  skip: sharedDataSkip,
}, async () => {
  let converted = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (seed, edits, skip) => {
        const content = mutate(realText(seed), edits);
        try {
          await fixture.convert(content, { onError: skip ? 'skip' : 'fail' });
          converted += 1;
        } catch (error) {
          assert.ok(error instanceof InputError, String(error));
        }
      },
    ),
    { numRuns: 200, seed: 7 },
  );
  assert.ok(converted > 50, `${converted} were converted`);
});

test('mutated gzip is converted or refused with a reason, never more', { skip: sharedDataSkip }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(edit, { minLength: 1, maxLength: 2 }), async (seed, edits) => {
      const content = mutate(gzipSync(realText(seed)), edits);
      try {
        await fixture.convert(content, { onError: 'skip' });
      } catch (error) {
        assert.ok(error instanceof InputError, String(error));
      }
    }),
    { numRuns: 60, seed: 7 },
  );
});

test('values of any type in any field are converted, and the rest of the resource with them', {
  skip: sharedDataSkip,
}, async () => {
  const lines = files
    .flatMap((file) => readFileSync(sharedData(file), 'utf8').split('\n').slice(0, 12))
    .filter(Boolean);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 }).filter(hasPlainKeys)), {
        ...{ minLength: 20, maxLength: 40 },
      }),
      async (changes) => {
        const changed = lines.map((line, index) => {
          const resource = JSON.parse(line);
          const [pick, value] = changes[index % changes.length] ?? [0, null];
          replaceSome(resource, pick + index, value);
          return JSON.stringify({
            ...resource,
            id: `r${index}`,
            resourceType: JSON.parse(line).resourceType,
          });
        });
        const { rows } = await fixture.convert(changed.join('\n'));
        assert.equal(rows('_resource').length, lines.length);
      },
    ),
    { numRuns: 25, seed: 7 },
  );
});

/** Reports whether no key of a value needs an escape: documents with one are refused. */
function hasPlainKeys(value: unknown): boolean {
  try {
    parseJson(JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Replaces one member somewhere below by `value`. */
function replaceSome(within: Record<string, unknown>, pick: number, value: unknown): void {
  const keys = Object.keys(within);
  const key = keys[pick % keys.length];
  if (key === undefined) return;
  const member = within[key];
  const deeper = typeof member === 'object' && member !== null && pick % 4 !== 0;
  if (deeper) replaceSome(member as Record<string, unknown>, Math.floor(pick / 2), value);
  else within[key] = value;
}
