import { gzipSync } from 'node:zlib';
import { openTestApp } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfText, vcfHeader, vcfRecord } from './texts.ts';
const app = await openTestApp();
try {
const p = await TestProject.make(app.call, 'X');
await p.take('base.ndjson', fhirText('base', 5, 2));
await p.take('base.vcf', vcfText('s', 7));
const badVcf = vcfHeader('a') + vcfRecord(5) + vcfRecord(6) + '1\tnot-a-number\t.\tA\tG\t50\tPASS\t.\tGT\t0/1\n' + vcfRecord(9);
const badNd = fhirText('n', 3) + '{"resourceType":"Patient",, }\n' + fhirText('m', 2);
const bundle = JSON.stringify({resourceType:'Bundle',type:'collection',entry:[1,2,3].map(i=>({resource:{resourceType:'Patient',id:'b'+i}}))},null,1);
const gz = gzipSync(fhirText('g', 3000, 2));
const vgz = gzipSync(vcfText('z', 50000));
const rand = Buffer.alloc(200000); for (let i=0;i<rand.length;i++) rand[i]=(i*2654435761>>>13)&255;
const cases: [string, string|Uint8Array, object?][] = [
 ['cut.ndjson.gz', gz.subarray(0, gz.length>>1)],
 ['cut.vcf.gz', vgz.subarray(0, vgz.length>>1)],
 ['cut20.vcf.gz', vgz.subarray(0, 20)],
 ['damaged.vcf.gz', Buffer.concat([vgz.subarray(0, 5000), Buffer.from('garbagegarbage'), vgz.subarray(5014)])],
 ['damaged.ndjson.gz', Buffer.concat([gz.subarray(0, 5000), Buffer.from('garbagegarbage'), gz.subarray(5014)])],
 ['binary.vcf', rand], ['binary-vcf', rand, {type:'vcf'}], ['binary-fhir', rand, {type:'fhir'}],
 ['bad.vcf', badVcf], ['bad-skip.vcf', badVcf, {onError:'skip'}],
 ['bad.ndjson', badNd], ['bad-skip.ndjson', badNd, {onError:'skip'}],
 ['empty', ''], ['empty-vcf', '', {type:'vcf'}], ['empty-fhir', '', {type:'fhir'}],
 ['header.vcf', vcfHeader('h')],
 ['cutbundle.json', bundle.slice(0, bundle.length-60)],
 ['vcf-as-fhir', vcfText('q', 3), {type:'fhir'}], ['fhir-as-vcf', fhirText('q', 3), {type:'vcf'}],
 ['utf16.ndjson', Buffer.from('\ufeff'+fhirText('u',3), 'utf16le')], ['utf16.vcf', Buffer.from('\ufeff'+vcfText('u',3), 'utf16le')], ['utf16-vcf', Buffer.from('\ufeff'+vcfText('u',3), 'utf16le'),{type:'vcf'}],
 ['utf16-fhir', Buffer.from('\ufeff'+fhirText('u',3), 'utf16le'),{type:'fhir'}],
 ['text.txt', 'hello world\n'.repeat(10)],
 ['plain-prefix-gz', gzipSync('')],
 ['patient-sample.vcf', vcfText('s2', 3), {samples:[{sampleId:'nobody',patientId:'p'}]}],
 ['samples.vcf', vcfText('s3', 3).replace('\ts3\n','\ta\tb\n'), {patientId:'x'}],
];
for (const [name, bytes, options] of cases) {
  const id = await p.upload(name, bytes);
  const t=performance.now();
  const e = await p.ingest(id, options);
  console.log(name.padEnd(20), e.state, (e as any).type, Math.round(performance.now()-t), JSON.stringify(e.error), e.warningCount, JSON.stringify(e.warnings).slice(0,300), e.progress.rows);
}
console.log(await p.count('patient'), await p.count('variant'), (await app.call('GET','/readyz')).text);
} finally { await app.stop(); }
