import {
  type ColumnPages,
  floatPages,
  type NumberType,
  rowsOfValueMax,
  sharedFloatPages,
} from './column-pages.ts';

/** Maximum numbers that are looked up; more would not fit into the processor's cache. */
const distinctMax = 1 << 14;
const slotBits = 15;

/** Memory that the next column reuses. */
const slots = new Int32Array(1 << slotBits);
const distinct = new Float64Array(distinctMax);
const value = new Float64Array(1);
const words = new Int32Array(value.buffer);
let places = new Int32Array(1 << 12);

/** Column of numbers that mostly repeat; NaN is NULL. */
export function repeatedPages(numbers: Float64Array, type: NumberType): ColumnPages {
  const count = readDistinct(numbers);
  return count < 0 || numbers.length < count * rowsOfValueMax
    ? floatPages(numbers, type)
    : sharedFloatPages(distinct.subarray(0, count), places.subarray(0, numbers.length), numbers.length, type);
}

/** Puts each number once into `distinct` and the index of each row into `places`; -1 for too many. */
function readDistinct(numbers: Float64Array): number {
  if (places.length < numbers.length) places = new Int32Array(numbers.length);
  slots.fill(0);
  let count = 0;
  for (let row = 0; row < numbers.length; row += 1) {
    const number = numbers[row] as number;
    if (Number.isNaN(number)) {
      places[row] = -1;
      continue;
    }
    value[0] = number;
    let slot = Math.imul((words[0] as number) ^ (words[1] as number), 0x9e3779b1) >>> (32 - slotBits);
    while (slots[slot] !== 0 && distinct[(slots[slot] as number) - 1] !== number)
      slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] === 0) {
      if (count === distinctMax) return -1;
      distinct[count] = number;
      count += 1;
      slots[slot] = count;
    }
    places[row] = (slots[slot] as number) - 1;
  }
  return count;
}
