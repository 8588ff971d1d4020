import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  categories,
  classColours,
  domainColours,
  mainColour,
  printColours,
  restColour,
  sequence,
  stemColour,
} from './palette.ts';

type Triple = [number, number, number];

/** Linear light of red, green and blue (sRGB, IEC 61966-2-1). */
function lightOf(colour: string): Triple {
  const part = (at: number): number => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

const multiply = (matrix: Triple[], [r, g, b]: Triple): Triple =>
  matrix.map(([x, y, z]) => Math.min(1, Math.max(0, x * r + y * g + z * b))) as Triple;

/** Luminance as WCAG 2.2 defines it. */
const luminance = (colour: string): number => multiply([[0.2126, 0.7152, 0.0722]], lightOf(colour))[0];

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** Full colour vision, then its three deficiencies in full (Machado, Oliveira and Fernandes 2009, table 1). */
const visions: Triple[][] = [
  [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
];

/** Place of a colour in Oklab, where distances are those that are seen (Ottosson 2020). */
function placeOf(light: Triple): Triple {
  const [l, m, s] = multiply(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    light,
  ).map(Math.cbrt) as Triple;
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

test('every colour of a drawing has contrast with a light and with a dark page', () => {
  const all = [
    ...categories,
    ...sequence,
    ...Object.values(classColours),
    ...domainColours,
    mainColour,
    restColour,
    stemColour,
  ];
  for (const colour of all)
    for (const page of ['#ffffff', '#242424']) assert.ok(contrast(colour, page) >= 3, `${colour} on ${page}`);
});

/** Alterations of one height in the cells of an oncoprint, in the palette for all kinds of vision. */
const { mutations, amplification, gain, loss, deletion, base } = printColours.distinct;
const together = [
  categories,
  Object.values(mutations).map(([driver]) => driver),
  [amplification, gain, loss, deletion, base],
];

test('colours beside each other differ for people with each kind of colour vision', () => {
  for (const vision of visions)
    for (const [at, one, colours] of together.flatMap((all) =>
      [...all.entries()].map(([at, one]) => [at, one, all] as const),
    ))
      for (const other of colours.slice(0, at)) {
        const places = [one, other].map((colour) => placeOf(multiply(vision, lightOf(colour))));
        const distance = Math.hypot(
          ...[0, 1, 2].map((axis) => (places[0]?.[axis] ?? 0) - (places[1]?.[axis] ?? 0)),
        );
        assert.ok(distance > 0.06, `${one} and ${other}: ${distance}`);
      }
});

test('a sequence grows darker with each step', () => {
  const shades = sequence.map(luminance);
  assert.deepEqual(
    shades,
    shades.toSorted((a, b) => b - a),
  );
});
