import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { textOf } from '../bytes.ts';
import { Dictionary } from './index.ts';

function add(dictionary: Dictionary, text: string): number {
  dictionary.begin().text(text);
  return dictionary.end();
}

const textAt = (dictionary: Dictionary, place: number): string =>
  textOf(dictionary.written, dictionary.startOf(place), dictionary.endOf(place));

describe('a dictionary', () => {
  test('a dictionary returns every text, and an empty text has no place', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (texts) => {
        const dictionary = new Dictionary();
        const places = texts.map((text) => add(dictionary, text));
        for (const [index, place] of places.entries()) {
          if (texts[index] === '') assert.equal(place, -1);
          else assert.equal(textAt(dictionary, place), texts[index]?.toWellFormed());
        }
      }),
    );
  });

  test('a text of another buffer has the number that it would have if it were written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.boolean())), (texts) => {
        const written = new Dictionary();
        const taken = new Dictionary();
        for (const [text, isWritten] of texts) {
          const bytes = Buffer.from(`<${text}>`);
          const place = isWritten ? add(taken, text) : taken.take(bytes, 1, bytes.length - 1);
          assert.equal(place, add(written, text));
          assert.equal(taken.lastSize, written.lastSize);
        }
        assert.deepEqual(taken.written, written.written);
      }),
    );
  });

  test('texts that differ in one byte are distinguished, at any length and place', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 21 }),
        fc.nat(),
        fc.nat(9),
        (text, nth, before) => {
          const dictionary = new Dictionary();
          const other = Uint8Array.from(text);
          other[nth % text.length] = (other[nth % text.length] as number) ^ 0x80;
          const source = Uint8Array.from([...new Uint8Array(before), ...text, ...other]);
          const [start, middle, end] = [before, before + text.length, before + text.length * 2];
          assert.equal(dictionary.take(source, start, middle), 0);
          assert.equal(dictionary.take(source, middle, end), 1);
          assert.equal(dictionary.take(source, start, middle), 0);
          assert.equal(dictionary.take(Uint8Array.from(other), 0, other.length), 1);
          assert.equal(dictionary.count, 2);
        },
      ),
    );
  });

  test('a dictionary holds a repeated text once, however many there are', () => {
    const dictionary = new Dictionary();
    for (let number = 0; number < 20_000; number += 1) {
      const text = `text ${Math.floor(number / 4) % 3000}`;
      assert.equal(textAt(dictionary, add(dictionary, text)), text);
    }
    assert.equal(dictionary.count, 3000);
    assert.ok(dictionary.isExact);
  });

  test('stops looking where hardly a text repeats, and still gives every text back', () => {
    const dictionary = new Dictionary();
    const places = Array.from({ length: 3000 }, (_, number) => add(dictionary, `rs${number >> 1}`));
    const unique = Array.from({ length: 3000 }, (_, number) => add(dictionary, `id ${number}`));
    assert.equal(textAt(dictionary, places[2999] ?? 0), 'rs1499');
    assert.equal(textAt(dictionary, unique[2999] ?? 0), 'id 2999');
    dictionary.clear();
    for (let number = 0; number < 3000; number += 1) add(dictionary, `id ${number}`);
    assert.ok(!dictionary.isExact);
    assert.equal(textAt(dictionary, 17), 'id 17');
    dictionary.clear();
    assert.ok(dictionary.isExact && add(dictionary, 'again') === 0);
  });
});
