import type { Profile } from './profile.ts';
import { absolute } from './profiles/absolute.ts';
import { arriba } from './profiles/arriba.ts';
import { ascat } from './profiles/ascat.ts';
import { battenberg } from './profiles/battenberg.ts';
import { cbioportalFusion } from './profiles/cbioportal-fusion.ts';
import { cnMops } from './profiles/cn-mops.ts';
import { cnvkit, cnvkitOfSamples } from './profiles/cnvkit.ts';
import { controlFreec } from './profiles/control-freec.ts';
import { cufflinks } from './profiles/cufflinks.ts';
import { defuse } from './profiles/defuse.ts';
import { depMapMutations } from './profiles/depmap-mutations.ts';
import { depMapSegments } from './profiles/depmap-segments.ts';
import { diaNn } from './profiles/dia-nn.ts';
import { dragenFusion } from './profiles/dragen-fusion.ts';
import { ericScript } from './profiles/ericscript.ts';
import { facets, facetsGenes } from './profiles/facets.ts';
import { fragPipe } from './profiles/frag-pipe.ts';
import { fusionCatcher } from './profiles/fusion-catcher.ts';
import { gatk } from './profiles/gatk.ts';
import { gdcCounts, gdcMicroRna } from './profiles/gdc-counts.ts';
import { gdcGenes } from './profiles/gdc-genes.ts';
import { icgc } from './profiles/icgc.ts';
import { isofox } from './profiles/isofox.ts';
import { isofoxFusion } from './profiles/isofox-fusion.ts';
import { jaffa } from './profiles/jaffa.ts';
import { kallisto } from './profiles/kallisto.ts';
import { linx } from './profiles/linx.ts';
import { maf } from './profiles/maf.ts';
import { maflite } from './profiles/maflite.ts';
import { maxQuant } from './profiles/max-quant.ts';
import { olink } from './profiles/olink.ts';
import { pizzly } from './profiles/pizzly.ts';
import { pureCn, pureCnTables } from './profiles/pure-cn.ts';
import { purple, purpleGenes } from './profiles/purple.ts';
import { rsem, rsemIsoforms } from './profiles/rsem.ts';
import { sailfish, salmon } from './profiles/salmon.ts';
import { seg, segOfSampleIds } from './profiles/seg.ts';
import { sequenza } from './profiles/sequenza.ts';
import { starFusion, starFusionBefore1 } from './profiles/star-fusion.ts';
import { starSeqr } from './profiles/star-seqr.ts';
import { ballgown, stringTie } from './profiles/string-tie.ts';
import { talon } from './profiles/talon.ts';
import { titan } from './profiles/titan.ts';
import { tpmCalculator } from './profiles/tpm-calculator.ts';
import { trusightFusion } from './profiles/trusight-fusion.ts';
import { wisecondorX } from './profiles/wisecondor-x.ts';
import { xenaMutations } from './profiles/xena-mutations.ts';
import { xenaCopies, xenaSegments } from './profiles/xena-segments.ts';
import { xhmm } from './profiles/xhmm.ts';

/** Profiles of all programs, in any order: of several that fit a table, that with the most columns counts. */
export const profiles: readonly Profile[] = [
  ...[depMapMutations, icgc, maf, maflite, xenaMutations],
  ...[
    absolute,
    ascat,
    battenberg,
    cnMops,
    cnvkit,
    cnvkitOfSamples,
    controlFreec,
    depMapSegments,
    facets,
    facetsGenes,
    gatk,
    gdcGenes,
    pureCn,
    pureCnTables,
    purple,
    purpleGenes,
    seg,
    segOfSampleIds,
    sequenza,
    titan,
    wisecondorX,
    xenaSegments,
    xenaCopies,
    xhmm,
  ],
  ...[
    arriba,
    cbioportalFusion,
    defuse,
    dragenFusion,
    ericScript,
    fusionCatcher,
    isofoxFusion,
    jaffa,
    linx,
    pizzly,
    starFusion,
    starFusionBefore1,
    starSeqr,
    trusightFusion,
  ],
  ...[
    cufflinks,
    diaNn,
    fragPipe,
    gdcCounts,
    gdcMicroRna,
    isofox,
    kallisto,
    maxQuant,
    olink,
    rsem,
    rsemIsoforms,
    salmon,
    sailfish,
    stringTie,
    ballgown,
    talon,
    tpmCalculator,
  ],
];
