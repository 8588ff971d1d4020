import {
  type Account,
  AccountBook,
  type AnnotationLayout,
  computedKey,
  infoSlots,
  isOfAnnovar,
  readFormatKeys,
  type StructuralMapper,
  structuralKeys,
  topicsOfKeys,
  type VcfHeader,
} from '@ploidy/formats';
import type { MappedRows } from './mapped-rows.ts';

interface Parts {
  header: VcfHeader;
  layouts: readonly AnnotationLayout[];
  settings: Parameters<typeof infoSlots>[0] & { passOnly: boolean };
  mapped: MappedRows;
  recordCount: number;
  /** Absent for a file of annotations, whose symbolic alleles match no other. */
  structural?: Pick<
    StructuralMapper,
    'withRowsCount' | 'uncalledCount' | 'ownerlessCount' | 'info' | 'formats'
  >;
}

/** Keys of the specification about the run of a caller as a whole, which no column asks for (VCF 4.3 §1.6.1). */
const ofRun = new Set(
  'AC,AN,AF,NS,MLEAC,MLEAF,DB,H2,H3,AA,BQ,MQ,MQ0,SB,SOMATIC,VALIDATED,1000G,DP'.split(','),
);
const ofStructure = [
  'SVTYPE',
  'SVLEN',
  'SVCLAIM',
  'END',
  'CHR2',
  'POS2',
  'END2',
  'CT',
  'MATEID',
  'MATE_ID',
  'PARID',
  'EVENT',
  'IMPRECISE',
];

/**
 * Finds unread keys that the header does not define, although it defines others: of samples, and of structural records, whose
 * reads they may count.
 */
function undefinedKeys(
  { unread }: Account,
  { info, format }: VcfHeader,
  ofStructures: ReadonlyMap<string, number> | undefined,
): string[] {
  if (info.size + format.size === 0) return [];
  return unread.flatMap(({ name }) => {
    const [kind, key = '', part] = name.split('/');
    if (part !== undefined || ofRun.has(key)) return [];
    const isUndefined = kind === 'FORMAT' ? !format.has(key) : ofStructures?.has(key) && !info.has(key);
    return isUndefined ? [name] : [];
  });
}

/** Accounts for the records of a VCF, its keys of INFO and FORMAT, and the fields of its annotations. */
export class VcfAccount {
  readonly account: Account;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
    const book = new AccountBook();
    this.#records(book);
    this.#keys(book);
    this.account = book.account(parts.recordCount);
  }

  /** Counts what no sample is called for; names unread keys of a topic that nothing else of the file fills. */
  get remarks(): string[] {
    const uncalledCount = this.#parts.structural?.uncalledCount ?? 0;
    const { header } = this.#parts;
    const read = this.account.read.map(({ name }) => name);
    const textOf = (name: string): string => {
      const [kind = '', key = ''] = name.split('/', 2);
      const field = (kind === 'FORMAT' ? header.format : header.info).get(key);
      return `${key} ${field?.description ?? ''}`;
    };
    // Annotations in a form that is not read have a warning of their own; likelihoods and p-values are of the call.
    const isNoteworthy = ({ name }: { name: string }): boolean =>
      !ofRun.has(name.split('/')[1] ?? '') &&
      !/likelihood|p-?value/i.test(textOf(name)) &&
      !/^INFO\/(?:FUNCOTATION$|Gene\.)/.test(name);
    const found = topicsOfKeys.flatMap(([topic, word]) => {
      if (read.some((name) => word.test(textOf(name)))) return [];
      const names = this.account.unread.filter(isNoteworthy).filter(({ name }) => word.test(textOf(name)));
      return names.length === 0
        ? []
        : [
            `${names
              .slice(0, 5)
              .map(({ name }) => name)
              .join(', ')} (${topic})`,
          ];
    });
    const unknown = undefinedKeys(this.account, header, this.#parts.structural?.info);
    return [
      ...(unknown.length === 0
        ? []
        : [
            `The header does not define these keys, so it is unknown what they say: ${unknown.slice(0, 5).join(', ')}. They are not read.`,
          ]),
      ...(uncalledCount === 0
        ? []
        : [
            `${uncalledCount} structural records passed their filters, but no sample is called (GT is ./.) and no reads are counted: they gave no row.`,
          ]),
      ...(found.length === 0
        ? []
        : [`These keys are not read: ${found.join('; ')}. found.unread lists all with their numbers.`]),
    ];
  }

  #records(book: AccountBook): void {
    const { mapped, structural } = this.#parts;
    const sum = (
      name: 'withRows' | 'uncalled' | 'filtered' | 'reference' | 'ownerless' | 'structural',
    ): number => mapped.accounts.reduce((left, one) => left + one[name], 0);
    if (!structural) {
      book.gave(sum('withRows'));
      book.leave('no alternate allele', sum('reference'));
      book.leave('symbolic alleles and breakends match no allele of other files', sum('structural'));
      book.leave('filters failed (passOnly)', sum('filtered'));
      book.leave('broken lines (onError skip)', mapped.brokenCount);
      return;
    }
    const { withRowsCount, uncalledCount, ownerlessCount } = structural;
    // A record may have a sequence and a symbolic alternate: it is with rows then, here or there.
    const ofStructure = Math.min(withRowsCount, sum('structural'));
    const left = sum('structural') - ofStructure;
    const uncalled = Math.min(uncalledCount, left);
    const ownerless = Math.min(ownerlessCount, left - uncalled);
    book.gave(sum('withRows') + ofStructure);
    book.leave('no sample is called (GT is ./.)', sum('uncalled') + uncalled);
    book.leave('all samples have the reference', sum('reference') + left - uncalled - ownerless);
    book.leave('filters failed (passOnly)', sum('filtered'));
    book.leave('no genotypes (GT) say whose the alleles are', sum('ownerless') + ownerless);
    book.leave('broken lines (onError skip)', mapped.brokenCount);
  }

  #keys(book: AccountBook): void {
    const { header, layouts, settings, mapped, structural } = this.#parts;
    const hasStructures = structural !== undefined && structural.withRowsCount > 0;
    const ofHeader = structuralKeys({ hasAlleleCopies: false, declared: header.info, format: header.format });
    const { copiesOfInfo, genes, support, evidence, ...ofFormat } = ofHeader;
    const info = new Set([
      ...infoSlots(settings).keys,
      ...(hasStructures ? [...ofStructure, ...copiesOfInfo, ...genes, ...support] : []),
      ...layouts.map(({ key }) => key),
      ...layouts.flatMap(({ translation }) => translation?.valueKeys ?? []),
    ]);
    const format = new Set([
      'GT',
      ...(settings.callColumns ? readFormatKeys(header.format) : []),
      ...(settings.callColumns || settings.passOnly ? ofFormat.filter : []),
      ...(hasStructures ? [...Object.values(ofFormat), ...Object.values(evidence)].flat(2) : []),
      ...['LAA', 'LA', 'LAD', 'LGT'],
    ]);
    const tables = layouts.flatMap(({ translation }) =>
      translation?.form === 'annovar' ? [translation.table] : [],
    );
    const isRead = (key: string): boolean => info.has(key) || tables.some((table) => isOfAnnovar(key, table));
    const counted = [...mapped.accounts, ...(structural ? [structural] : [])];
    for (const { info: counts, formats } of counted) {
      for (const [key, count] of counts)
        if (key !== computedKey) book.name(isRead(key) ? 'read' : 'unread', `INFO/${key}`, count);
      for (const [keys, count] of formats)
        if (count > 0)
          for (const key of new Set(keys.split(':')))
            if (key !== '') book.name(format.has(key) ? 'read' : 'unread', `FORMAT/${key}`, count);
    }
    for (const { key, names = [], parts, frequencies } of layouts) {
      const places = new Set([...Object.values(parts), ...frequencies.map(({ place }) => place)]);
      const count = counted.reduce((sum, { info: counts }) => sum + (counts.get(key) ?? 0), 0);
      // A name that is there twice is counted once.
      for (const [name, place] of new Map([...names.entries()].toReversed().map(([at, name]) => [name, at])))
        if (name !== '') book.name(places.has(place + 1) ? 'read' : 'unread', `INFO/${key}/${name}`, count);
    }
  }
}
