import { type Random, randomOf } from './random.ts';
import { type Story, stories } from './stories.ts';
import type { Sample } from './vcf.ts';

/** A patient with the values that all of the patient's resources share. Days count from 1970-01-01. */
export interface Person {
  seed: number;
  index: number;
  id: string;
  story: Story;
  isMale: boolean;
  birthDay: number;
  /** The day of the first diagnosis. */
  diagnosisDay: number;
  /** Days of the three visits, the first on the day of the diagnosis. */
  visitDays: readonly number[];
  /** Name of the sequenced sample: the column of the VCF and the identifier of the specimen. */
  sampleName: string;
}

const day = (date: string): number => Date.parse(date) / 86_400_000;

/** Returns a day as `YYYY-MM-DD`. */
export function dateOf(dayNumber: number): string {
  return new Date(dayNumber * 86_400_000).toISOString().slice(0, 10);
}

/** Returns a moment of a day, with the minutes of the stream, in UTC. */
export function momentOf(dayNumber: number, random: Random): string {
  const minutes = 8 * 60 + random.below(9 * 60);
  return new Date(dayNumber * 86_400_000 + minutes * 60_000).toISOString().replace('.000Z', 'Z');
}

/** Returns the patient of that number, from 0. */
export function personOf(seed: number, index: number): Person {
  const story = stories[index % stories.length];
  if (story === undefined) throw new RangeError(`No patient ${index}`);
  const random = randomOf(seed, 'person', index);
  const female = story.diseases.some(({ name }) => name === 'breast' || name === 'ovary');
  const young = story.diseases.some(({ name }) => name === 'fibrosis');
  const diagnosisDay = day('2016-01-01') + random.below(2_200);
  const age = young ? 6 + random.below(10) : 38 + random.below(46);
  const number = String(index + 1).padStart(4, '0');
  return {
    seed,
    index,
    id: `syn-${number}`,
    story,
    isMale: !female && random.chance(0.5),
    birthDay: diagnosisDay - age * 365 - random.below(365),
    diagnosisDay,
    visitDays: [0, 60 + random.below(60), 240 + random.below(200)].map((after) => diagnosisDay + after),
    sampleName: `SYN${number}`,
  };
}

/** Returns the patient's column in a VCF. */
export function sampleOf(person: Person): Sample {
  return { name: person.sampleName, isMale: person.isMale, known: person.story.known };
}
