import igv from 'igv';
import { useEffect, useRef, useState } from 'react';
import type { Source } from '../../api/sources.ts';
import { ErrorAlert } from '../../shell/Feedback.tsx';
import { basesIn, cutRegions } from './chromosomes.ts';
import { addressOf, basesOf, type Reference } from './sources.ts';

/** Parts of igv.js that the page uses. */
interface IgvBrowser {
  genome: {
    sequence: { getSequence(name: string, start: number, end: number): Promise<string | undefined> };
  };
  loadTrack(track: object): Promise<unknown>;
  trackViews: { track: { type: string }; clearCachedFeatures(): void; updateViews(): void }[];
  removeTrack(track: unknown): void;
}

interface Library {
  createBrowser(place: HTMLElement, options: object): Promise<IgvBrowser>;
  removeBrowser(browser: IgvBrowser): void;
}

const library = igv as unknown as Library;

interface Props {
  reference: Reference;
  locus: string;
  sources: Source[];
}

/** The genome browser. Nothing is fetched from anywhere but this service. */
export function Browser({ reference, locus, sources }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<Drawing>();
  const [errors, setErrors] = useState<Error[]>([]);
  useEffect(() => {
    const made = new Drawing(place.current as HTMLElement, reference, locus);
    setDrawing(made);
    return () => made.remove();
  }, [reference, locus]);
  const ids = sources.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: tracks follow the choice, not each drawing of the page
  useEffect(() => {
    let isLate = false;
    void drawing?.show(sources).then((found) => isLate || setErrors(found));
    return () => {
      isLate = true;
    };
  }, [drawing, ids]);
  return (
    <>
      {errors.map((error) => (
        <ErrorAlert key={error.message} error={error} />
      ))}
      <div className="genome">
        <section ref={place} aria-label="Genome browser" />
      </div>
    </>
  );
}

/** A browser with its tracks. What is asked of it is done one after the other. */
class Drawing {
  readonly #browser: Promise<IgvBrowser>;
  readonly #tracks = new Map<string, unknown>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(place: HTMLElement, reference: Reference, locus: string) {
    this.#browser = open(place, reference, locus);
  }

  /** Removes tracks that are not of these sources and loads the others; the region in view stays. Resolves to what failed. */
  show(sources: Source[]): Promise<Error[]> {
    const shown = this.#last.then(async () => {
      const browser = await this.#browser;
      for (const [id, track] of this.#tracks)
        if (!sources.some((one) => one.id === id)) {
          browser.removeTrack(track);
          this.#tracks.delete(id);
        }
      const errors: Error[] = [];
      for (const source of sources)
        if (!this.#tracks.has(source.id))
          try {
            this.#tracks.set(source.id, await browser.loadTrack(await trackOf(source)));
          } catch (error) {
            errors.push(new Error(`${source.name} cannot be drawn: ${reasonOf(error)}`));
          }
      return errors;
    });
    const settled = shown.catch((error: Error) => [error]);
    this.#last = settled;
    return settled;
  }

  remove(): void {
    void this.#browser.then(
      (browser) => library.removeBrowser(browser),
      () => undefined,
    );
  }
}

/** Returns the reason of igv.js without what it puts around it: the name again, and a signed address. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replace(/^Track .*? could not be read: /, '')
    .replace(/https?:\S+/g, '')
    .trim();
}

async function open(place: HTMLElement, reference: Reference, locus: string): Promise<IgvBrowser> {
  // Controls have no names while igv.js opens.
  place.style.visibility = 'hidden';
  try {
    const browser = await library.createBrowser(place, optionsOf(reference, locus));
    styleControls(place);
    readBases(browser, reference);
    return browser;
  } finally {
    place.style.visibility = '';
  }
}

function optionsOf({ name, chromosomes }: Reference, locus: string): object {
  const sizes = chromosomes.map((one) => `${one.name}\t${one.length}`).join('\n');
  return {
    // No list of genomes from elsewhere, and no dialogues that reach other hosts.
    genomeList: null,
    loadDefaultGenomes: false,
    // Names of genes would be looked up at another host.
    search: false,
    showSVGButton: true,
    // The bar of controls has room for what is needed most.
    showMultiSelectButton: false,
    showCursorTrackingGuideButton: false,
    reference: { id: name, name, format: 'chromsizes', url: new File([sizes], 'chromosomes.txt') },
    // Without a place, where there are bases.
    locus: locus || (cutRegions(chromosomes)[0] ?? `${chromosomes[0]?.name}:1-${chromosomes[0]?.length}`),
  };
}

/** Names the controls that igv.js leaves unnamed. Keeps them as light as its drawings, and the region's size on one line. */
function styleControls(place: HTMLElement): void {
  const root = place.shadowRoot ?? place;
  for (const select of root.querySelectorAll('select')) select.setAttribute('aria-label', 'Chromosome');
  for (const slider of root.querySelectorAll('input[type=range]')) slider.setAttribute('aria-label', 'Zoom');
  for (const box of root.querySelectorAll<HTMLElement>('.igv-container')) box.style.colorScheme = 'light';
  for (const size of root.querySelectorAll<HTMLElement>('.igv-windowsize-panel-container'))
    size.style.whiteSpace = 'nowrap';
  for (const input of root.querySelectorAll<HTMLElement>('.igv-search-input')) input.style.width = '190px';
}

/** Lets the browser read bases of the project's reference when it is near enough to draw them. */
function readBases(browser: IgvBrowser, { chromosomes }: Reference): void {
  browser.genome.sequence.getSequence = async (name, start, end) => {
    const found = chromosomes.find((one) => one.name === name);
    return found && basesIn(found, Math.max(0, start), Math.min(end, found.length), basesOf);
  };
  // The first region was drawn without bases.
  for (const view of browser.trackViews.filter(({ track }) => track.type === 'sequence')) {
    view.clearCachedFeatures();
    view.updateViews();
  }
}

async function trackOf(source: Source): Promise<object> {
  const common = { name: source.name, ...(await addressOf(source)) };
  return source.kind === 'reads'
    ? { ...common, type: 'alignment', format: 'bam', height: 300 }
    : { ...common, type: 'variant', format: 'vcf', height: 120 };
}
