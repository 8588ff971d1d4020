import { grown } from '../../../bytes.ts';
import { Dictionary } from '../../../parquet/index.ts';

/** One column of the entries of a group, as indexes of its texts; -1 is NULL. */
export class EntryColumn {
  readonly texts = new Dictionary();
  places: Int32Array = new Int32Array(1024);

  set(entry: number, place: number): void {
    if (entry === this.places.length) this.places = grown(this.places);
    this.places[entry] = place;
  }
}

/** Returns each text once, in their order. */
export function dictionaryOf(texts: readonly string[]): Dictionary {
  const dictionary = new Dictionary();
  for (const text of texts) {
    dictionary.begin().text(text);
    dictionary.end();
  }
  return dictionary;
}
