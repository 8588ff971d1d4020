import { textAt } from '../delimited/index.ts';
import type { GenomeBuild } from '../vcf/assemblies.ts';
import { genomeBuildOfMaf } from '../vcf/genome-build.ts';

/** The builds of the genome that the records name. */
export class NamedBuilds {
  readonly #place: number;
  readonly #builds = new Set<GenomeBuild | undefined>();
  #last = '';

  /** `place`: column of the builds; -1 without one. */
  constructor(place: number) {
    this.#place = place;
  }

  read(fields: readonly string[]): void {
    const text = textAt(fields, this.#place) ?? '';
    if (text === '' || text === this.#last) return;
    this.#last = text;
    this.#builds.add(genomeBuildOfMaf(text));
  }

  /** Undefined when no record names one, or they name several. */
  get only(): GenomeBuild | undefined {
    return this.#builds.size === 1 ? [...this.#builds][0] : undefined;
  }

  get remarks(): string[] {
    const named = [...this.#builds].filter((build) => build !== undefined);
    const unknown = this.#builds.has(undefined)
      ? ['The records name a build of the genome that is unknown here: it may be of another species.']
      : [];
    if (named.length < 2) return unknown;
    return [
      ...unknown,
      `The records name several builds of the genome (${named.join(', ')}): their positions are not comparable.`,
    ];
  }
}
