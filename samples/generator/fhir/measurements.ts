/** A quantity that is measured: LOINC, unit (UCUM), reference range, and how values spread about its middle. */
export interface Measurement {
  code: string;
  display: string;
  unit: string;
  low?: number;
  high?: number;
  mean: number;
  spread: number;
  digits: number;
  category: 'vital-signs' | 'laboratory';
}

function measurement(line: string): Measurement {
  const [code = '', display = '', unit = '', low, high, mean, spread, digits, kind] = line.split('; ');
  return {
    code,
    display,
    unit,
    ...(low === '-' ? {} : { low: Number(low) }),
    ...(high === '-' ? {} : { high: Number(high) }),
    mean: Number(mean),
    spread: Number(spread),
    digits: Number(digits),
    category: kind === 'vital' ? 'vital-signs' : 'laboratory',
  };
}

/** code; display; unit; low; high; mean; spread; digits; kind */
export const measurements: readonly Measurement[] = `
8302-2; Body height; cm; -; -; 170; 18; 0; vital
29463-7; Body weight; kg; -; -; 76; 26; 1; vital
8867-4; Heart rate; /min; 60; 100; 76; 30; 0; vital
8310-5; Body temperature; Cel; 36.1; 37.2; 36.7; 0.9; 1; vital
718-7; Hemoglobin [Mass/volume] in Blood; g/dL; 12; 17.5; 13.6; 4; 1; lab
6690-2; Leukocytes [#/volume] in Blood by Automated count; 10*3/uL; 4.5; 11; 7.2; 6; 1; lab
777-3; Platelets [#/volume] in Blood by Automated count; 10*3/uL; 150; 400; 250; 200; 0; lab
2160-0; Creatinine [Mass/volume] in Serum or Plasma; mg/dL; 0.6; 1.3; 0.95; 0.6; 2; lab
2345-7; Glucose [Mass/volume] in Serum or Plasma; mg/dL; 70; 100; 98; 50; 0; lab
4548-4; Hemoglobin A1c/Hemoglobin.total in Blood; %; 4; 5.6; 5.7; 2.4; 1; lab
14804-9; Lactate dehydrogenase [Enzymatic activity/volume] in Serum or Plasma by Lactate to pyruvate reaction; U/L; 120; 246; 210; 160; 0; lab
1975-2; Bilirubin.total [Mass/volume] in Serum or Plasma; mg/dL; 0.2; 1.2; 0.7; 0.8; 1; lab`
  .trim()
  .split('\n')
  .map(measurement);
