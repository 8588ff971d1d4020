/**
 * Returns a patient, a condition of one of twenty codes and two observations each; the first ones own the samples of the
 * bench's VCF.
 */
export function peopleText(patients: number, samples: number): string {
  const lines: string[] = [];
  const subject = (n: number) => ({ reference: `Patient/p${n}` });
  const code = (text: string) => ({ coding: [{ system: 'urn:bench', code: text }] });
  for (let n = 0; n < patients; n++) {
    const birthDate = `${1930 + (n % 80)}-0${1 + (n % 9)}-15`;
    lines.push(
      JSON.stringify({ resourceType: 'Patient', id: `p${n}`, gender: n % 2 ? 'male' : 'female', birthDate }),
    );
    lines.push(
      JSON.stringify({
        resourceType: 'Condition',
        id: `c${n}`,
        subject: subject(n),
        code: code(`c${n % 20}`),
      }),
    );
    for (let k = 0; k < 2; k++) {
      const valueQuantity = { value: (n * 7 + k) % 100, unit: 'g' };
      lines.push(
        JSON.stringify({
          resourceType: 'Observation',
          id: `o${n}-${k}`,
          status: 'final',
          subject: subject(n),
          code: code(`o${k}`),
          valueQuantity,
        }),
      );
    }
  }
  for (let n = 0; n < samples; n++) {
    const identifier = [{ value: sampleName(n) }];
    lines.push(JSON.stringify({ resourceType: 'Specimen', id: `s${n}`, subject: subject(n), identifier }));
  }
  return `${lines.join('\n')}\n`;
}

/** Samples of the benchmark's VCF (inputs.ts). */
export const sampleName = (index: number): string => `BENCH${String(index + 1).padStart(2, '0')}`;
