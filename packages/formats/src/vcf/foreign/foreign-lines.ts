import { bytesOf, decimal, equal, find, textOf, writeText } from '../../bytes.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import { infoOf } from '../info-text.ts';
import { hasJoint } from './bcsq.ts';
import { type ComputedAnnotations, computedKey, type FindNear } from './computed.ts';
import { recordsNear } from './phased.ts';
import { type ForeignRecord, written } from './plain-annotation.ts';
import { translate } from './translation.ts';

const tab = 9;
const newline = 10;
const infoColumn = 7;
/** Maximum of consequences that the records of one text copy from others: each may point to all of another one. */
const jointMax = 2_000_000;

/** Rewrites lines whose annotations have another form, with those of SnpEff's or VEP's form. */
export class ForeignLines {
  /** Alternates for which annotations were left out, because their owner is unknown. */
  unclearCount = 0;
  /** Last rewritten line, valid until the next. Nothing follows it: searches end there. */
  line = new Uint8Array();
  #room = new Uint8Array(1 << 16);
  readonly #layouts: readonly AnnotationLayout[];
  /** Text around the lines, for consequences that are at one record of several. */
  #text: Uint8Array | undefined;
  /** Entries by chromosome and position; built at first use. */
  #joint: Map<string, string[]> | undefined;
  #jointLeft = jointMax;

  readonly #computed: ComputedAnnotations | undefined;
  readonly #site = new Site();

  private constructor(layouts: readonly AnnotationLayout[], computed: ComputedAnnotations | undefined) {
    this.#layouts = layouts.filter(({ key }) => key !== computedKey);
    this.#computed = computed;
  }

  /** Undefined where all annotations of a file have the usual form. */
  static open(
    layouts: readonly AnnotationLayout[],
    computed?: ComputedAnnotations,
  ): ForeignLines | undefined {
    const isForeign = layouts.some(({ translation }) => translation);
    return isForeign ? new ForeignLines(layouts, computed) : undefined;
  }

  /** Sets the text of the following lines, which must not change until `leave`. */
  enter(text: Uint8Array): void {
    this.#text = text;
  }

  leave(): void {
    this.#text = undefined;
    this.#joint = undefined;
    this.#jointLeft = jointMax;
  }

  /** Rewrites a line; false when it stays unchanged. */
  rewrite(bytes: Uint8Array, start: number, end: number): boolean {
    const from = startOfInfo(bytes, start, end);
    if (from < 0) return false;
    const next = find(bytes, tab, from, end);
    const to = next < 0 ? end : next;
    const near = this.#computed && (() => this.#near(bytes, start, end));
    if (near && this.#layouts.length === 0) {
      // Nothing of INFO decides: its bytes stay.
      const found = this.#computed?.of(this.#site.read(bytes, start, from - 1), near) ?? '';
      return found !== '' && this.#write(bytes, start, end, `${computedKey}=${found};`, from, from);
    }
    const added = this.#added(textOf(bytes, start, from - 1), textOf(bytes, from, to), near);
    return added !== undefined && this.#write(bytes, start, end, added, from, to);
  }

  /** Writes a line with a text in place of `[from, to)`. */
  #write(bytes: Uint8Array, start: number, end: number, added: string, from: number, to: number): true {
    const sizeMax = end - start + added.length * 3;
    if (sizeMax > this.#room.length) this.#room = new Uint8Array(sizeMax * 2);
    const room = this.#room;
    room.set(bytes.subarray(start, from));
    const after = from - start + writeText(added, room, from - start);
    room.set(bytes.subarray(to, end), after);
    this.line = room.subarray(0, after + end - to);
    return true;
  }

  /** Returns a line, rewritten where that is needed. */
  ofText(line: string): string {
    const bytes = bytesOf(line);
    return this.rewrite(bytes, 0, bytes.length) ? textOf(this.line, 0, this.line.length) : line;
  }

  /** Returns INFO with the annotations before its old content; undefined when they need no translation. */
  #added(before: string, infoText: string, near: FindNear | undefined): string | undefined {
    // Without layouts of the file, nothing of INFO decides.
    const info = this.#layouts.length > 0 ? infoOf(infoText) : noInfo;
    const layout = this.#layouts.find(({ key }) => hasValue(info.get(key)));
    if (layout ? !layout.translation : !this.#computed) return undefined;
    const [chromosome = '', position = '', , reference = '', alternates = ''] = before.split('\t');
    const record: ForeignRecord = {
      chromosome,
      position: Number(position),
      reference,
      alternates: alternates.split(','),
      info,
      infoText,
    };
    if (!layout?.translation) return near && this.#withComputed(record, near);
    const findJoint = (name: string, at: number): readonly string[] => this.#jointAt(layout.key, name, at);
    const found = translate(layout.translation, info.get(layout.key) ?? '', record, findJoint);
    this.unclearCount += found.unclearCount;
    const isAnnovar = layout.translation.form === 'annovar';
    const values = [...(found.values ?? [])].filter(([key]) => isAnnovar || !hasValue(info.get(key)));
    return [
      `${layout.key}=${written(found.annotations) || '.'}`,
      ...values.map(([key, of]) => `${key}=${of.map(encoded).join(',')}`),
      // Codes of ANNOVAR as those of VCF.
      isAnnovar ? infoText.replaceAll(/\\x([0-9a-f]{2})/gi, '%$1') : infoText,
    ].join(';');
  }

  /** Returns the columns of a line, and of the records near it in the text. */
  #near(bytes: Uint8Array, start: number, end: number): ReturnType<FindNear> {
    const text = this.#text;
    if (!text || text.buffer !== bytes.buffer) return { own: [], records: [] };
    const shift = bytes.byteOffset - text.byteOffset;
    const records = recordsNear(text, start + shift, end + shift);
    return { own: records.length > 0 ? textOf(bytes, start, end).split('\t') : [], records };
  }

  /** Returns INFO with the computed consequences before its old content; undefined without any. */
  #withComputed(record: ForeignRecord, near: FindNear): string | undefined {
    const text = this.#computed?.of(record, near) ?? '';
    return text === '' ? undefined : `${computedKey}=${text};${record.infoText}`;
  }

  #jointAt(key: string, chromosome: string, position: number): readonly string[] {
    this.#joint ??= jointConsequences(this.#text ?? new Uint8Array(), key);
    const found = this.#joint.get(`${chromosome}\t${position}`) ?? [];
    this.#jointLeft -= found.length;
    return this.#jointLeft < 0 ? [] : found;
  }
}

/** Place and alleles of lines, read without the texts of the other columns. */
class Site {
  #name = '';
  #nameBytes: Uint8Array = new Uint8Array();

  /** Reads the columns before INFO. */
  read(bytes: Uint8Array, start: number, end: number): ForeignRecord {
    const ends: number[] = [];
    for (let at = start; ends.length < 5; at = (ends.at(-1) as number) + 1) {
      const next = find(bytes, tab, at, end);
      ends.push(next < 0 ? end : next);
    }
    const [nameEnd = end, positionEnd = end, idEnd = end, referenceEnd = end, alternatesEnd = end] = ends;
    if (!equal(bytes, start, nameEnd, this.#nameBytes)) {
      // A copy: other lines may reuse the bytes.
      this.#nameBytes = Uint8Array.from(bytes.subarray(start, nameEnd));
      this.#name = textOf(bytes, start, nameEnd);
    }
    const alternates = alleleOf(bytes, referenceEnd + 1, alternatesEnd);
    return {
      chromosome: this.#name,
      position: decimal(bytes, nameEnd + 1, positionEnd),
      reference: alleleOf(bytes, idEnd + 1, referenceEnd),
      alternates: alternates.includes(',') ? alternates.split(',') : [alternates],
      info: noInfo,
      infoText: '',
    };
  }
}

/** Most alleles are one base. */
const letters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

const alleleOf = (bytes: Uint8Array, start: number, end: number): string =>
  (end - start === 1 ? letters[bytes[start] as number] : undefined) ?? textOf(bytes, start, end);

const noInfo: ReadonlyMap<string, string> = new Map();

function hasValue(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== '.';
}

/** Encodes one of several values. */
function encoded(value: string): string {
  return value === '' ? '.' : value.replaceAll(/[%,;=\s]/g, (one) => encodeURIComponent(one));
}

function startOfInfo(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (let column = 0; column < infoColumn; column += 1) {
    const next = find(bytes, tab, at, end);
    if (next < 0) return -1;
    at = next + 1;
  }
  return at;
}

/** Entries of all lines with joint consequences of several records, by chromosome and position. */
function jointConsequences(text: Uint8Array, key: string): Map<string, string[]> {
  const joint = new Map<string, string[]>();
  for (let start = 0; start < text.length; ) {
    const newlineAt = text.indexOf(newline, start);
    const end = newlineAt < 0 ? text.length : newlineAt;
    const from = startOfInfo(text, start, end);
    if (from >= 0 && text[start] !== 35) {
      const next = find(text, tab, from, end);
      const value = infoOf(textOf(text, from, next < 0 ? end : next)).get(key) ?? '';
      if (hasJoint(value)) {
        const [chromosome = '', position = ''] = textOf(text, start, from).split('\t');
        const place = `${chromosome}\t${Number(position)}`;
        const entries = value.split(',').filter(hasJoint);
        const known = joint.get(place);
        if (known === undefined) joint.set(place, entries);
        else for (const entry of entries) known.push(entry);
      }
    }
    start = end + 1;
  }
  return joint;
}
