import { codeSystems } from '@ploidy/formats';

/** Term of an ontology (Phenopackets 2.0, `OntologyClass`). */
export interface Term {
  id: string;
  label?: string;
}

/** Ontology whose terms a phenopacket holds (`Resource`). */
export interface TermSource {
  id: string;
  name: string;
  url: string;
  version: string;
  namespacePrefix: string;
  iriPrefix: string;
}

const known = new Map(codeSystems.map((one) => [one.system, one]));

/** Terms of one phenopacket: collects the ontologies that its metadata must name. */
export class Terms {
  readonly #sources = new Map<string, TermSource>();

  /** Returns the term of a coding; undefined without code or system. */
  of(system: unknown, code: unknown, label?: unknown): Term | undefined {
    if (typeof system !== 'string' || typeof code !== 'string' || system === '' || code === '')
      return undefined;
    const { namespacePrefix } = this.#sourceOf(system);
    const local = code.startsWith(`${namespacePrefix}:`) ? code : `${namespacePrefix}:${code}`;
    return { id: local, ...(typeof label === 'string' && label !== '' && { label }) };
  }

  sources(): TermSource[] {
    return [...this.#sources.values()];
  }

  #sourceOf(system: string): TermSource {
    const earlier = this.#sources.get(system);
    if (earlier) return earlier;
    // A system of a hospital gets a prefix of this document.
    const local = `local${this.#sources.size + 1}`;
    const found = known.get(system) ?? { prefix: local, name: system, iriPrefix: `${system}#` };
    const { prefix: namespacePrefix, name, iriPrefix } = found;
    const source: TermSource = {
      id: namespacePrefix.toLowerCase(),
      ...{ name, url: system, version: 'unknown', namespacePrefix, iriPrefix },
    };
    this.#sources.set(system, source);
    return source;
  }
}
