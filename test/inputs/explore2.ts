import { gzipSync } from 'node:zlib';
import { openTestApp } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfText, vcfHeader, vcfRecord } from './texts.ts';
const app = await openTestApp();
try {
const p = await TestProject.make(app.call, 'X');
const member = gzipSync(Buffer.alloc(64<<20, 'a'));
const nl = gzipSync(Buffer.alloc(64<<20, '\n'));
const zero = gzipSync(Buffer.alloc(64<<20));
const times = (b: Buffer, n: number) => Array.from({length:n}, () => b);
const cases: [string, string|Uint8Array, object?][] = [
 ['bomb.ndjson.gz', Buffer.concat([gzipSync(fhirText('a',2)+'{"resourceType":"Patient","id":"x","language":"'), ...times(member,16)])],
 ['bomb-skip.ndjson.gz', Buffer.concat([gzipSync(fhirText('a',2)+'{"resourceType":"Patient","id":"x","language":"'), ...times(member,16), gzipSync('"}\n'+fhirText('b',1))]), {onError:'skip'}],
 ['bomb.bundle.gz', Buffer.concat([gzipSync('{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"x","language":"'), ...times(member,16)])],
 ['bomb.vcf.gz', Buffer.concat([gzipSync(vcfHeader('s')+vcfRecord(5)+'1\t100\t.\tA\tG\t50\tPASS\tX='), ...times(member,16)])],
 ['bomb-skip.vcf.gz', Buffer.concat([gzipSync(vcfHeader('s')+vcfRecord(5)+'1\t100\t.\tA\tG\t50\tPASS\tX='), ...times(member,16), gzipSync('\n'+vcfRecord(900))]), {onError:'skip'}],
 ['bomb-header.vcf.gz', Buffer.concat([gzipSync('##fileformat=VCFv4.3\n##x='), ...times(member,16)])],
 ['newlines.ndjson.gz', Buffer.concat([gzipSync(fhirText('a',2)), ...times(nl,16)])],
 ['newlines.vcf.gz', Buffer.concat([gzipSync(vcfHeader('s')+vcfRecord(5)), ...times(nl,16)])],
 ['zeros.gz', Buffer.concat(times(zero,16))],
 ['zeros-vcf.gz', Buffer.concat(times(zero,16)), {type:'vcf'}],
 ['zeros-fhir.gz', Buffer.concat(times(zero,16)), {type:'fhir'}],
];
for (const [name, bytes, options] of cases) {
  const id = await p.upload(name, bytes);
  const t=performance.now();
  const e = await p.ingest(id, options).catch(e=>({state:String(e)} as any));
  console.log(name.padEnd(20), e.state, (e as any).type, Math.round(performance.now()-t), JSON.stringify(e.error), e.warningCount, JSON.stringify(e.warnings)?.slice(0,300), e.progress?.rows);
}
} finally { await app.stop(); }
