import { addCounted, type Counted, isEveryones, isObject, type JsonObject } from '@ploidy/formats';

/** A Bundle of search results. */
export interface SearchPage {
  line: number;
  entries: number;
  /** Results on all pages. */
  total: number | undefined;
  next: string | undefined;
  self: string | undefined;
}

/** Reason for entries without rows. */
export const withoutResource = 'an entry without a resource';

/** Paths that are counted, and pages that are looked at: both come from the source. */
const keptMax = 500;
const pagesMax = 10_000;
const typesMax = 100;

/** Counts what a slice has besides its rows. */
export class SourceNotes {
  /** Elements that are in no column but in the document, by path. */
  readonly kept = new Map<string, Counted>();
  /** Resources without rows, by reason. */
  readonly leftOut = new Map<string, Counted>();
  readonly pages: SearchPage[] = [];
  /** Subjects of phenopackets, each with the id of its packet. */
  readonly subjects: [patient: string, packet: string][] = [];
  /** Counts of resources without an id, by type. */
  readonly otherTypes = new Map<string, number>();

  keep(name: string, count: number, line: number): void {
    if (this.kept.has(name) || this.kept.size < keptMax) addCounted(this.kept, name, count, line);
  }

  leave(reason: string, line: number): void {
    addCounted(this.leftOut, reason, 1, line);
  }

  countType(type: string): void {
    const known = this.otherTypes.has(type) || this.otherTypes.size < typesMax;
    const name = known ? type : 'other types';
    this.otherTypes.set(name, (this.otherTypes.get(name) ?? 0) + 1);
  }

  addPage({ type, total, link }: JsonObject, line: number, entries: number): void {
    if (type !== 'searchset' || this.pages.length === pagesMax) return;
    const links = (Array.isArray(link) ? link : []).filter(isObject);
    const urlOf = (name: string): string | undefined => {
      const url = links.find(({ relation }) => relation === name)?.['url'];
      return typeof url === 'string' ? url : undefined;
    };
    const results = typeof total === 'number' ? total : undefined;
    this.pages.push({ line, entries, total: results, next: urlOf('next'), self: urlOf('self') });
  }
}

/**
 * Finds a page of a search whose following one is not in the source. Pages of one search have one `total`: fewer entries than that
 * are not all. Without it, the last page has no `next`, and others have the address of a page that is there.
 */
export function missingPage(pages: readonly SearchPage[]): SearchPage | undefined {
  const known = new Set(pages.map(({ self }) => self));
  const isOpen = ({ next }: SearchPage): boolean => next !== undefined && !known.has(next);
  for (const [total, all] of Map.groupBy(pages, (page) => page.total)) {
    const entries = all.reduce((sum, page) => sum + page.entries, 0);
    const last = all.find(isOpen);
    if (total !== undefined && entries < total) return { ...(last ?? (all[0] as SearchPage)), entries };
    if (total === undefined && last && all.every(({ next }) => next !== undefined))
      return { ...last, entries };
  }
  return undefined;
}

/** Finds subjects of phenopackets that may be several people: an id is only unique within its packet. */
export class PacketSubjects {
  readonly #packets = new Map<string, string>();
  readonly #patients = new Map<string, string>();
  readonly #shared = new Set<string>();
  readonly #reused = new Set<string>();
  #everyonesCount = 0;

  add(patient: string, packet: string): void {
    const first = this.#packets.get(patient);
    if (first === undefined) this.#packets.set(patient, packet);
    else if (first !== packet) this.#shared.add(patient);
    const other = this.#patients.get(packet);
    if (other === undefined) this.#patients.set(packet, patient);
    else if (other !== patient && packet !== '') this.#reused.add(packet);
    if (isEveryones(patient)) this.#everyonesCount += 1;
  }

  /** `hasPrefix`: a prefix separates people of one name. */
  remarks(hasPrefix: boolean): string[] {
    const remarks: string[] = [];
    if (this.#shared.size > 0)
      remarks.push(
        `${this.#shared.size} ids of subjects are in several phenopackets: each is one patient now. If they are different people, ingest the files one by one, each with an idPrefix`,
      );
    if (this.#reused.size > 0)
      remarks.push(
        `${this.#reused.size} ids of phenopackets have several subjects: what one has of an id replaces that of another. Give each phenopacket an id of its own`,
      );
    if (this.#everyonesCount > 0 && !hasPrefix)
      remarks.push(
        `${this.#everyonesCount} phenopackets have a subject whose id many people have, such as "proband" or "Patient 1": those of other files are the same patient. Set an idPrefix for each publication or family`,
      );
    return remarks;
  }
}
