import { type ByteWriter, bytesOf } from '../bytes.ts';
import { InputError } from '../input-error.ts';
import type { BcfDictionaries } from './dictionaries.ts';
import { endFloat, missingFloat, missingOf, writeFloat, writeWhole } from './numbers.ts';

/** Bytes of a value of each type; no other type exists. */
const sizes: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 2: 2, 3: 4, 5: 4, 7: 1 };
const [float, character] = [5, 7];
const [tab, newline, comma, dot, slash, colon, semicolon, equals, bar] = [9, 10, 44, 46, 47, 58, 59, 61, 124];
const fixedBytes = 24;
/** A missing string. */
const missingCharacter = 7;

interface Typed {
  type: number;
  count: number;
}

/** Writes records of a BCF as lines of a VCF, as `bcftools view` prints them (VCF 4.3 §6.3). */
export class RecordText {
  readonly #target: ByteWriter;
  readonly #strings: readonly (Uint8Array | undefined)[];
  readonly #contigs: readonly (Uint8Array | undefined)[];
  readonly #sampleCount: number;
  readonly #typed: Typed = { type: 0, count: 0 };
  #bytes: Uint8Array = new Uint8Array();
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #end = 0;

  constructor(target: ByteWriter, { strings, contigs, sampleCount }: BcfDictionaries) {
    this.#target = target;
    this.#strings = strings.map((name) => (name ? bytesOf(name) : undefined));
    this.#contigs = contigs.map((name) => (name ? bytesOf(name) : undefined));
    this.#sampleCount = sampleCount;
  }

  /** Writes the line of a record: the shared part, then that of the samples. Throws `InputError` for a damaged one. */
  write(bytes: Uint8Array, start: number, sharedBytes: number, sampleBytes: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    this.#at = start;
    this.#end = start + sharedBytes;
    const fieldCount = this.#shared();
    this.#at = start + sharedBytes;
    this.#end = this.#at + sampleBytes;
    this.#samples(fieldCount);
    this.#target.byte(newline);
  }

  /** Returns the number of FORMAT fields. */
  #shared(): number {
    const target = this.#target;
    const view = this.#view;
    const at = this.#take(fixedBytes);
    this.#name(this.#contigs, view.getInt32(at, true), 'contig');
    target.byte(tab);
    target.number(Math.max(0, view.getInt32(at + 4, true) + 1));
    target.byte(tab);
    const alleleCount = view.getUint16(at + 18, true);
    const infoCount = view.getUint16(at + 16, true);
    const samples = view.getUint32(at + 20, true);
    if ((samples & 0xffffff) !== this.#sampleCount)
      throw damaged('its number of samples differs from the header');
    if (!this.#value()) target.byte(dot);
    target.byte(tab);
    if (alleleCount === 0) throw damaged('it has no alleles');
    for (let allele = 0; allele < alleleCount; allele += 1) {
      if (allele > 0) target.byte(allele === 1 ? tab : comma);
      if (!this.#value()) throw damaged('an allele is empty');
    }
    if (alleleCount === 1) this.#texts(tab, dot);
    target.byte(tab);
    if (view.getUint32(at + 12, true) === missingFloat) target.byte(dot);
    else writeFloat(target, view.getFloat32(at + 12, true));
    target.byte(tab);
    this.#filters();
    target.byte(tab);
    if (infoCount === 0) target.byte(dot);
    for (let index = 0; index < infoCount; index += 1) {
      if (index > 0) target.byte(semicolon);
      this.#name(this.#strings, this.#key(), 'key');
      const before = target.length;
      target.byte(equals);
      // A flag.
      if (!this.#value()) target.length = before;
    }
    return samples >>> 24;
  }

  #filters(): void {
    const { type, count } = this.#descriptor();
    if (count === 0) {
      this.#texts(dot);
      return;
    }
    const size = sizeOf(type);
    const at = this.#take(count * size);
    for (let index = 0; index < count; index += 1) {
      if (index > 0) this.#target.byte(semicolon);
      this.#name(this.#strings, this.#whole(size, at + index * size), 'filter');
    }
  }

  #samples(fieldCount: number): void {
    const target = this.#target;
    if (this.#sampleCount === 0) return;
    if (fieldCount === 0) for (let at = 0; at <= this.#sampleCount; at += 1) this.#texts(tab, dot);
    const fields = Array.from({ length: fieldCount }, (_, index) => {
      target.byte(index === 0 ? tab : colon);
      const key = this.#key();
      this.#name(this.#strings, key, 'key');
      const { type, count } = this.#descriptor();
      const bytes = count === 0 ? 0 : count * sizeOf(type);
      return {
        isGenotype: nameOf(this.#strings, key) === 'GT',
        type,
        count,
        bytes,
        at: this.#take(bytes * this.#sampleCount),
      };
    });
    for (let sample = 0; sample < this.#sampleCount && fieldCount > 0; sample += 1)
      for (const [index, { isGenotype, type, count, bytes, at }] of fields.entries()) {
        target.byte(index === 0 ? tab : colon);
        const from = at + sample * bytes;
        if (isGenotype && type !== character) this.#genotype(from, count, type);
        else this.#list(from, count, type);
      }
  }

  #genotype(at: number, count: number, type: number): void {
    const target = this.#target;
    if (count === 0) {
      target.byte(dot);
      return;
    }
    const size = sizeOf(type);
    if (type === float) throw damaged('its genotypes are not integers');
    const { length } = target;
    for (let index = 0; index < count; index += 1) {
      const value = this.#whole(size, at + index * size);
      if (value === missingOf[size] + 1) break;
      if (index > 0) target.byte((value & 1) === 1 ? bar : slash);
      const allele = value === missingOf[size] ? -1 : (value >> 1) - 1;
      if (allele < 0) target.byte(dot);
      else target.number(allele);
    }
    if (target.length === length) target.byte(dot);
  }

  /** Writes a typed value; returns whether there is any. */
  #value(): boolean {
    const { type, count } = this.#descriptor();
    if (count === 0) return false;
    const size = sizeOf(type);
    const at = this.#take(count * size);
    const isWhole = type !== float && type !== character;
    // bcftools before 1.10 wrote -127 into one byte, where it ends lists: alone it is a number.
    if (count === 1 && isWhole && this.#whole(size, at) === missingOf[size] + 1)
      writeWhole(this.#target, missingOf[size] + 1);
    else this.#list(at, count, type);
    return true;
  }

  #list(at: number, count: number, type: number): void {
    const target = this.#target;
    if (count === 0 || type === character) {
      this.#characters(at, count);
      return;
    }
    const size = sizeOf(type);
    for (let index = 0; index < count; index += 1) {
      const place = at + index * size;
      const bits = type === float ? this.#view.getUint32(place, true) : this.#whole(size, place);
      const missing = type === float ? missingFloat : missingOf[size];
      if (bits === (type === float ? endFloat : missing + 1)) return;
      if (index > 0) target.byte(comma);
      if (bits === missing) target.byte(dot);
      else if (type === float) writeFloat(target, this.#view.getFloat32(place, true));
      else writeWhole(target, bits);
    }
  }

  /** Ends a string at its first zero. */
  #characters(at: number, count: number): void {
    const bytes = this.#bytes;
    let end = at;
    while (end < at + count && bytes[end] !== 0) {
      const byte = bytes[end] as number;
      // A tab or line feed would begin another column or line.
      if (byte < 32 && byte !== missingCharacter) throw damaged('a string holds a control character');
      end += 1;
    }
    if (end === at || bytes[at] === missingCharacter) this.#target.byte(dot);
    else this.#target.slice(bytes, at, end);
  }

  #descriptor(): Typed {
    const byte = this.#bytes[this.#take(1)] as number;
    const typed = this.#typed;
    const type = byte & 15;
    let count = byte >> 4;
    if (count === 15) count = this.#key();
    if (count < 0) throw damaged('a list has a negative length');
    typed.type = type;
    typed.count = type === 0 ? 0 : count;
    return typed;
  }

  /** Reads one typed whole number. */
  #key(): number {
    const byte = this.#bytes[this.#take(1)] as number;
    const type = byte & 15;
    if (byte >> 4 !== 1 || type < 1 || type > 3)
      throw damaged('a value is not a number where one is expected');
    const size = sizeOf(type);
    return this.#whole(size, this.#take(size));
  }

  #whole(size: 1 | 2 | 4, at: number): number {
    if (size === 1) return this.#view.getInt8(at);
    return size === 2 ? this.#view.getInt16(at, true) : this.#view.getInt32(at, true);
  }

  #name(names: readonly (Uint8Array | undefined)[], number: number, kind: string): void {
    const name = names[number];
    if (!name) throw damaged(`it names a ${kind} that the header does not define`);
    this.#target.slice(name, 0, name.length);
  }

  #texts(...bytes: number[]): void {
    for (const byte of bytes) this.#target.byte(byte);
  }

  /** Returns the start of the next bytes. */
  #take(count: number): number {
    const at = this.#at;
    if (at + count > this.#end) throw damaged('a value is longer than the record');
    this.#at = at + count;
    return at;
  }
}

function sizeOf(type: number): 1 | 2 | 4 {
  const size = sizes[type];
  if (size === undefined) throw damaged('a value has an unknown type');
  return size;
}

function nameOf(names: readonly (Uint8Array | undefined)[], number: number): string {
  const name = names[number];
  return name ? new TextDecoder().decode(name) : '';
}

function damaged(reason: string): InputError {
  return new InputError(reason);
}
