import type { Annotation } from './annotation.ts';
import type { Random } from './random.ts';

/** INFO entries with the population frequencies of each alternate allele (gnomAD genomes, exomes, three populations). */
export function frequencyInfo(frequencies: readonly number[], random: Random): string[] {
  const vary = (): string =>
    frequencies.map((frequency) => decimal(Math.min(1, frequency * (0.4 + 1.2 * random.next())))).join(',');
  const info = [
    `gnomADg_AF=${frequencies.map(decimal).join(',')}`,
    `gnomADg_AFR_AF=${vary()}`,
    `gnomADg_EAS_AF=${vary()}`,
    `gnomADg_NFE_AF=${vary()}`,
  ];
  if (random.chance(0.7)) info.push(`gnomADe_AF=${vary()}`);
  // ClinVar's three older sources have one number for a record, so only where there is one allele.
  if (frequencies.length === 1 && random.chance(0.3))
    info.push(`AF_EXAC=${vary()}`, `AF_ESP=${vary()}`, `AF_TGP=${vary()}`);
  return info;
}

/** Returns a frequency with three significant digits, never in exponent form below what gnomAD can see. */
export function decimal(value: number): string {
  if (value === 0) return '0';
  return value < 1e-4 ? value.toExponential(2).replace('e-', 'e-0') : Number(value.toPrecision(3)).toString();
}

/** ClinVar's assessment of a variant. */
export interface Assessment {
  alleleId?: number;
  disease: string;
  review: string;
  significance: string;
  submission?: string;
}

export const reviews = {
  none: 'no_assertion_criteria_provided',
  single: 'criteria_provided,_single_submitter',
  multiple: 'criteria_provided,_multiple_submitters,_no_conflicts',
  conflicting: 'criteria_provided,_conflicting_classifications',
  panel: 'reviewed_by_expert_panel',
} as const;

/** INFO entries in ClinVar's own words and order. */
export function assessmentInfo(assessment: Assessment): string[] {
  const { alleleId, disease, review, significance, submission } = assessment;
  return [
    ...(alleleId === undefined ? [] : [`ALLELEID=${alleleId}`]),
    `CLNDN=${disease}`,
    `CLNREVSTAT=${review}`,
    `CLNSIG=${significance}`,
    ...(submission === undefined ? [] : [`CLNVI=${submission}`]),
  ];
}

const diseases = [
  'Hereditary_cancer-predisposing_syndrome',
  'Cardiomyopathy',
  'Familial_hypercholesterolemia',
  'Inborn_genetic_diseases',
  'not_provided',
  'not_specified|not_provided',
];

/**
 * Returns an invented assessment. Simulated variants of real genes are never called pathogenic: no reader shall find an
 * invented pathogenic variant beside the real ones.
 */
export function simulatedAssessment(annotation: Annotation, isReal: boolean, random: Random): Assessment {
  const harmful = annotation.impact === 'HIGH' && !isReal;
  const mild = annotation.impact === 'LOW' || annotation.impact === 'MODIFIER';
  const significance = random.pick(
    harmful
      ? ['Pathogenic', 'Likely_pathogenic', 'Pathogenic/Likely_pathogenic', 'Uncertain_significance']
      : mild
        ? ['Benign', 'Likely_benign', 'Benign/Likely_benign']
        : ['Uncertain_significance', 'Likely_benign', 'Conflicting_classifications_of_pathogenicity'],
  );
  const conflicting = significance.startsWith('Conflicting');
  const review = conflicting
    ? reviews.conflicting
    : random.pick([reviews.none, reviews.single, reviews.multiple]);
  const number = 9_000_000 + random.below(900_000);
  const submission = random.chance(0.4) ? { submission: `SyntheticLab:SV${number}` } : {};
  return { alleleId: number, disease: random.pick(diseases), review, significance, ...submission };
}
