/**
 * Colours of all drawings, in one place. Each has a contrast of 3 to 1 with a white and a dark page (WCAG 2.2, 1.4.11).
 * Categories differ for the three kinds of colour blindness (`palette.test.ts`).
 */

/** Colours of categories, in their order of use. */
export const categories = ['#0077bb', '#e56a1e', '#a97fbb', '#777777', '#d23a17', '#2288ff'] as const;

/** Colour of marks of one kind. */
export const mainColour = categories[0];

/** Colour of what is left out of a choice, and of values without data. */
export const restColour = '#8a8f94';

/** Colours from few to many, each darker than the one before. */
export const sequence = ['#4a97d2', '#3d8fcb', '#2f87c4', '#1f7cbc', '#0f77b8'] as const;

/** Colour of the lines below marks. */
export const stemColour = '#868e96';

/** Colours of the domains of a protein in turn, apart from those of classes. */
export const domainColours = ['#5f7f8c', '#7d7396', '#6f8468'] as const;

/** Colour of a reference range. */
export const rangeColour = '#2b8a3e';

/** Size of letters in drawings, in pixels. */
export const labelSize = 12;

/** Colours of classes of alterations. */
export const classColours: Readonly<Record<string, string>> = {
  missense: categories[0],
  truncating: categories[4],
  splice: categories[1],
  inframe: categories[2],
  promoter: categories[5],
  other: categories[3],
};

/** Colours of an oncoprint. Pairs are of drivers, and of other alterations. */
export interface PrintColours {
  /** Cell of a subject that is profiled, and line of one that is not. */
  base: string;
  line: string;
  amplification: string;
  gain: string;
  loss: string;
  deletion: string;
  fusion: readonly [driver: string, other: string];
  germline: string;
  /** Colours by class. */
  mutations: Readonly<Record<string, readonly [driver: string, other: string]>>;
  /** Expression from low to high. */
  heat: readonly [low: string, middle: string, high: string];
}

/** Colours that readers of oncoprints know, and others that differ for each kind of colour vision (`palette.test.ts`). */
export const printColours: Readonly<Record<'usual' | 'distinct', PrintColours>> = {
  usual: {
    ...{ base: '#bebebe', line: '#8a8f94', germline: '#ffffff' },
    ...{ amplification: '#ff0000', gain: '#ffb6c1', loss: '#8fd8d8', deletion: '#0000ff' },
    fusion: ['#8b00c9', '#ce92e8'],
    mutations: {
      missense: ['#008000', '#53d400'],
      truncating: ['#000000', '#708090'],
      inframe: ['#993404', '#a68028'],
      splice: ['#e5802b', '#f0b87b'],
      promoter: ['#00b7ce', '#8cedf9'],
      other: ['#cf58bc', '#f96ae3'],
    },
    heat: ['#2166ac', '#f7f7f7', '#b2182b'],
  },
  distinct: {
    ...{ base: '#d0d0d0', line: '#8a8f94', germline: '#ffffff' },
    ...{ amplification: '#d55e00', gain: '#f3b98b', loss: '#82bce3', deletion: '#0072b2' },
    fusion: ['#5b2a86', '#b9a3cf'],
    mutations: {
      missense: ['#00795c', '#6fc7ae'],
      truncating: ['#000000', '#6a6a6a'],
      inframe: ['#8a4b08', '#c9955c'],
      splice: ['#f0e442', '#f8f3ae'],
      promoter: ['#56b4e9', '#b5def6'],
      other: ['#cc79a7', '#ebcadb'],
    },
    heat: ['#0072b2', '#f7f7f7', '#d55e00'],
  },
};

/** Colours of the values of a track in their order; a further value begins again. */
export const trackColours = [
  ...categories,
  '#8c6d1f',
  '#2a9d8f',
  '#6a3d9a',
  '#b15928',
  '#1b7837',
  '#c51b7d',
] as const;
