import type { ByteWriter } from '../bytes.ts';

/** Missing values and the end of a list, by the bytes of whole numbers (VCF 4.3 §6.3.3). */
export const missingOf = { 1: -0x80, 2: -0x8000, 4: -0x80000000 } as const;
export const missingFloat = 0x7f800001;
export const endFloat = 0x7f800002;

export function writeWhole(target: ByteWriter, value: number): void {
  if (value < 0) target.byte(45);
  target.number(Math.abs(value));
}

/** Writes a number as bcftools prints it, with six digits (`kputd` of htslib, the format `%g` of C). */
export function writeFloat(target: ByteWriter, value: number): void {
  target.text(floatText(value));
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return `${sign}inf`;
  if (size === 0) return `${sign}0`;
  if (size >= 0.0001 && size <= 999_999) {
    // Digits after the point.
    let places = 5;
    for (let limit = 10; limit <= size && places > 0; limit *= 10) places -= 1;
    for (let limit = 1; size < limit && places < 9; limit /= 10) places += 1;
    const whole = roundedToEven(size * 10 ** places);
    const digits = String(whole).padStart(places + 1, '0');
    const point = digits.length - places;
    const fraction = digits.slice(point).replace(/(?<!0)0+$/, '');
    return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
  }
  const [mantissa = '', exponent = ''] = size.toExponential(5).split('e');
  // Rounded up to a number without exponent.
  if (exponent === '-4') return `${sign}${Number(`${mantissa}e-4`)}`;
  const short = mantissa.includes('.') ? mantissa.replace(/(?<![.0])\.?0+$/, '') : mantissa;
  return `${sign}${short}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
