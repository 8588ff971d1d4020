/**
 * Well-known variants with their true place and alleles on GRCh38, and the true change of RNA and protein. Assessments follow
 * ClinVar's in short form, frequencies are gnomAD's in round figures: they are here to be recognised, not to be relied on.
 *
 * A line: name · chromosome position reference alternate · dbSNP · gene consequence c. p. · ClinVar significance, review,
 * disease, allele id · frequency (`-` without one). A line that begins with `+` is one more transcript of the line above it:
 * transcript consequence c. p.
 */
export const knownVariantLines = `
MTHFR A222V; 1 11796321 G A; rs1801133; MTHFR missense_variant c.665C>T p.Ala222Val; Benign none not_provided -; 0.27
DPYD*2A; 1 97450058 C T; rs3918290; DPYD splice_donor_variant c.1905+1G>A -; drug_response panel fluorouracil_response_-_Toxicity -; 0.0036
NRAS Q61R; 1 114713908 T C; rs11554290; NRAS missense_variant c.182A>G p.Gln61Arg; Pathogenic multiple Melanoma -; -
NRAS Q61K; 1 114713909 G T; rs121913254; NRAS missense_variant c.181C>A p.Gln61Lys; Pathogenic multiple Melanoma -; -
F5 Leiden; 1 169549811 C T; rs6025; F5 missense_variant c.1601G>A p.Arg534Gln; Pathogenic multiple Thrombophilia_due_to_factor_V_Leiden 15681; 0.017
IDH1 R132H; 2 208248388 C T; rs121913500; IDH1 missense_variant c.395G>A p.Arg132His; Pathogenic multiple Glioma -; -
PIK3CA E545K; 3 179218303 G A; rs104886003; PIK3CA missense_variant c.1633G>A p.Glu545Lys; Pathogenic multiple Breast_neoplasm -; -
PIK3CA H1047R; 3 179234297 A G; rs121913279; PIK3CA missense_variant c.3140A>G p.His1047Arg; Pathogenic panel Breast_neoplasm 28691; -
KIT D816V; 4 54733155 A T; rs121913507; KIT missense_variant c.2447A>T p.Asp816Val; Pathogenic multiple Mastocytosis -; -
TERT C228T; 5 1295113 G A; rs1242535815; TERT upstream_gene_variant c.-124C>T -; Likely_pathogenic single Melanoma -; -
HFE H63D; 6 26090951 C G; rs1799945; HFE missense_variant c.187C>G p.His63Asp; Conflicting_classifications_of_pathogenicity conflicting Hemochromatosis_type_1 15049; 0.11
HFE C282Y; 6 26092913 G A; rs1800562; HFE missense_variant c.845G>A p.Cys282Tyr; Pathogenic multiple Hemochromatosis_type_1 15048; 0.037
EGFR T790M; 7 55181378 C T; rs121434569; EGFR missense_variant c.2369C>T p.Thr790Met; drug_response panel Lung_adenocarcinoma -; 0.00001
+ NM_001346897.2 missense_variant c.2234C>T p.Thr745Met
EGFR L858R; 7 55191822 T G; rs121434568; EGFR missense_variant c.2573T>G p.Leu858Arg; Pathogenic panel Lung_adenocarcinoma 31648; -
+ NM_001346897.2 missense_variant c.2438T>G p.Leu813Arg
CFTR F508del; 7 117559590 ATCT A; rs113993960; CFTR conservative_inframe_deletion c.1521_1523del p.Phe508del; Pathogenic panel Cystic_fibrosis 22144; 0.0072
BRAF G643=; 7 140749350 T C; rs9648696; BRAF synonymous_variant c.1929A>G p.Gly643Gly; Benign multiple not_specified -; 0.06
BRAF V600E; 7 140753336 A T; rs113488022; BRAF missense_variant c.1799T>A p.Val600Glu; Pathogenic multiple Melanoma|Colorectal_cancer 29000; 0.000004
+ NM_001374258.1 missense_variant c.1919T>A p.Val640Glu
BRAF V600K; 7 140753336 AC TT; rs121913227; BRAF missense_variant c.1798_1799delinsAA p.Val600Lys; Pathogenic/Likely_pathogenic single Melanoma -; -
+ NM_001374258.1 missense_variant c.1918_1919delinsAA p.Val640Lys
JAK2 V617F; 9 5073770 G T; rs77375493; JAK2 missense_variant c.1849G>T p.Val617Phe; Pathogenic multiple Polycythemia_vera|Myelofibrosis 29701; 0.0004
ABL1 T315I; 9 130872896 C T; rs121913459; ABL1 missense_variant c.944C>T p.Thr315Ile; drug_response single Chronic_myelogenous_leukemia 27663; -
CYP2C19*2; 10 94781859 G A; rs4244285; CYP2C19 synonymous_variant c.681G>A p.Pro227Pro; drug_response panel clopidogrel_response_-_Efficacy -; 0.17
HBB E7V; 11 5227002 T A; rs334; HBB missense_variant c.20A>T p.Glu7Val; Pathogenic multiple Hb_SS_disease -; 0.013
F2 G20210A; 11 46739505 G A; rs1799963; F2 3_prime_UTR_variant c.*97G>A -; Pathogenic multiple Thrombophilia_due_to_thrombin_defect -; 0.0087
KRAS G12V; 12 25245350 C A; rs121913529; KRAS missense_variant c.35G>T p.Gly12Val; Pathogenic multiple Neoplasm_of_the_large_intestine -; -
+ NM_033360.4 missense_variant c.35G>T p.Gly12Val
KRAS G12D; 12 25245350 C T; rs121913529; KRAS missense_variant c.35G>A p.Gly12Asp; Pathogenic multiple Neoplasm_of_the_large_intestine 27621; -
+ NM_033360.4 missense_variant c.35G>A p.Gly12Asp
ALDH2*2; 12 111803962 G A; rs671; ALDH2 missense_variant c.1510G>A p.Glu504Lys; drug_response single Acute_alcohol_sensitivity -; 0.025
FLT3 D835Y; 13 28018505 C A; rs121913488; FLT3 missense_variant c.2503G>T p.Asp835Tyr; Pathogenic single Acute_myeloid_leukemia -; -
BRCA2 6174delT; 13 32340300 GT G; rs80359550; BRCA2 frameshift_variant c.5946del p.Ser1982fs; Pathogenic panel Hereditary_breast_ovarian_cancer_syndrome 24364; 0.0003
SERPINA1 Z; 14 94378610 C T; rs28929474; SERPINA1 missense_variant c.1096G>A p.Glu366Lys; Pathogenic multiple Alpha-1-antitrypsin_deficiency -; 0.011
VKORC1 -1639G>A; 16 31096368 C T; rs9923231; VKORC1 upstream_gene_variant c.-1639G>A -; drug_response panel warfarin_response_-_Dosage -; 0.31
TP53 R273H; 17 7673802 C T; rs28934576; TP53 missense_variant c.818G>A p.Arg273His; Pathogenic panel Li-Fraumeni_syndrome -; 0.00001
TP53 R248Q; 17 7674220 C T; rs11540652; TP53 missense_variant c.743G>A p.Arg248Gln; Pathogenic panel Li-Fraumeni_syndrome -; 0.00001
TP53 R175H; 17 7675088 C T; rs28934578; TP53 missense_variant c.524G>A p.Arg175His; Pathogenic panel Li-Fraumeni_syndrome 27413; -
+ NM_001126115.2 missense_variant c.128G>A p.Arg43His
TP53 P72R; 17 7676154 G C; rs1042522; TP53 missense_variant c.215C>G p.Pro72Arg; Benign panel Li-Fraumeni_syndrome 27390; 0.66
BRCA1 5382insC; 17 43057062 T TG; rs80357906; BRCA1 frameshift_variant c.5266dup p.Gln1756fs; Pathogenic panel Hereditary_breast_ovarian_cancer_syndrome 32716; 0.0002
BRCA1 185delAG; 17 43124027 ACT A; rs80357914; BRCA1 frameshift_variant c.68_69del p.Glu23fs; Pathogenic panel Hereditary_breast_ovarian_cancer_syndrome 32701; 0.0002
APOE C130R; 19 44908684 T C; rs429358; APOE missense_variant c.388T>C p.Cys130Arg; risk_factor single Alzheimer_disease -; 0.15
APOE R176C; 19 44908822 C T; rs7412; APOE missense_variant c.526C>T p.Arg176Cys; association single Familial_type_3_hyperlipoproteinemia -; 0.078
CHEK2 1100delC; 22 28695868 AG A; rs555607708; CHEK2 frameshift_variant c.1100del p.Thr367fs; Pathogenic multiple Familial_cancer_of_breast -; 0.0018`;
