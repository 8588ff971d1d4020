import { type DiseaseName, diseases } from './codes.ts';

/** A medicine that was prescribed, reported or given, and for what. */
export interface Treatment {
  medicine: string;
  disease: DiseaseName;
  resourceType: 'MedicationRequest' | 'MedicationStatement' | 'MedicationAdministration';
  status: string;
}

/** A patient's diseases (`?` behind a refuted one), genotypes of well-known variants, and treatments. */
export interface Story {
  diseases: { name: DiseaseName; isRefuted: boolean }[];
  known: ReadonlyMap<string, string>;
  treatments: Treatment[];
}

/**
 * Twenty patients; after them the stories begin again. Diseases · variants with genotype · treatments. The latter are `medicine for
 * disease`: with `~` a statement (reported by the patient); with `+` an administration; with `!` an erroneous order.
 *
 * The melanoma stories are made for one question: which patients have melanoma and a pathogenic BRAF variant, and which
 * treatment do they get? Beside the true ones (V600E, V600K) there are near misses. BRAF was examined and found unchanged
 * (0/0), was not callable (./.), or changed but benign. Others have another gene, another disease with the same variant, a
 * refuted diagnosis, or medicines for something else.
 */
const lines = `
melanoma, hypertension · BRAF V600E 0/1 · vemurafenib for melanoma, cobimetinib for melanoma, lisinopril for hypertension
lung, hyperlipidemia · EGFR L858R 0/1 · osimertinib for lung, atorvastatin for hyperlipidemia
breast · BRCA1 185delAG 0/1 · +carboplatin for breast, olaparib for breast, ondansetron for breast
melanoma · NRAS Q61K 0/1 · +pembrolizumab for melanoma
colon, hypertension · KRAS G12D 0/1, TP53 R175H 0/1 · +oxaliplatin for colon, +bevacizumab for colon, lisinopril for hypertension
leukemia · ABL1 T315I 0/1 · imatinib for leukemia, ponatinib for leukemia
melanoma, diabetes · BRAF V600K 0/1 · dabrafenib for melanoma, ~dabrafenib for melanoma, trametinib for melanoma, metformin for diabetes
ovary · BRCA2 6174delT 0/1, TP53 R273H 0/1 · +carboplatin for ovary, +paclitaxel for ovary, olaparib for ovary
colon · BRAF V600E 0/1, PIK3CA E545K 0/1 · encorafenib for colon, +cetuximab for colon
melanoma · BRAF G643= 0/1, BRAF V600E 0/0, TERT C228T 0/1 · +nivolumab for melanoma
diabetes, thrombosis, hypertension · F5 Leiden 0/1, HFE C282Y 0/1 · metformin for diabetes, apixaban for thrombosis, lisinopril for hypertension
melanoma?, hypertension · BRAF V600E 0/1 · vemurafenib for melanoma, lisinopril for hypertension
melanoma, hyperlipidemia · BRAF V600K/V600E 0/2, TP53 R248Q 0/1 · ~dabrafenib for melanoma, ~trametinib for melanoma, atorvastatin for hyperlipidemia
melanoma · BRAF V600K/V600E 0/0, NRAS Q61R 0/1 · +ipilimumab for melanoma, +nivolumab for melanoma
melanoma, asthma · BRAF V600K/V600E ./. · +pembrolizumab for melanoma, acetaminophen for melanoma
lung · EGFR T790M 0/1, EGFR L858R 0/1 · gefitinib for lung, osimertinib for lung
breast · PIK3CA H1047R 0/1, CHEK2 1100delC 0/1 · +trastuzumab for breast, +paclitaxel for breast
fibrosis · CFTR F508del 1/1 · ivacaftor for fibrosis
polycythemia, hemochromatosis · JAK2 V617F 0/1, HFE C282Y 1/1 · ruxolitinib for polycythemia
melanoma, diabetes · BRAF V600K/V600E 0|1 · !vemurafenib for melanoma, dabrafenib for melanoma, metformin for diabetes`;

function diseaseName(word: string): DiseaseName {
  if (!Object.hasOwn(diseases, word))
    throw new RangeError(`No disease ${word} in the table of the generator`);
  return word as DiseaseName;
}

function treatment(text: string): Treatment {
  const [, mark, medicine = '', disease = ''] = /^([~+!]?)(\S+) for (\S+)$/.exec(text) ?? [];
  const base = { medicine, disease: diseaseName(disease) };
  if (mark === '~') return { ...base, resourceType: 'MedicationStatement', status: 'active' };
  if (mark === '+') return { ...base, resourceType: 'MedicationAdministration', status: 'completed' };
  return { ...base, resourceType: 'MedicationRequest', status: mark === '!' ? 'entered-in-error' : 'active' };
}

function parse(line: string): Story {
  const [ills = '', variants = '', medicines = ''] = line.split(' · ');
  return {
    diseases: ills.split(', ').map((text) => {
      return { name: diseaseName(text.replace('?', '')), isRefuted: text.endsWith('?') };
    }),
    known: new Map(
      variants.split(', ').map((text) => {
        const blank = text.lastIndexOf(' ');
        return [text.slice(0, blank), text.slice(blank + 1)];
      }),
    ),
    treatments: medicines.split(', ').map(treatment),
  };
}

/** The stories in the order of the patients. */
export const stories: readonly Story[] = lines.trim().split('\n').map(parse);
