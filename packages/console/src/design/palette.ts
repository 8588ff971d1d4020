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
