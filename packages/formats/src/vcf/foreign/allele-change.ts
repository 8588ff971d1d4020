/** Reduces an alternate to its change, without the reference around it: `12 A G`. */
export function alleleChange(position: number, reference: string, alternate: string): string {
  const shortest = Math.min(reference.length, alternate.length);
  let cut = 0;
  while (cut < shortest && reference.at(-1 - cut) === alternate.at(-1 - cut)) cut += 1;
  let start = 0;
  while (start < shortest - cut && reference[start] === alternate[start]) start += 1;
  const rest = (allele: string): string => allele.slice(start, allele.length - cut);
  return `${position + start} ${rest(reference)} ${rest(alternate)}`;
}
