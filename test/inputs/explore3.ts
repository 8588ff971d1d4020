import { gzipSync } from 'node:zlib';
import { openTestApp } from '../support/app.ts';
import { TestProject } from './project.ts';
import { vcfHeader, vcfRecord } from './texts.ts';
const app = await openTestApp();
try {
const p = await TestProject.make(app.call, 'X');
const MB=1<<20;
for (const size of [1,3,5,10,40,70,200]) for (const [gz, end] of [[false,''],[false,'\n'],[true,''],[true,'\n']] as const) {
  const text = vcfHeader('s')+vcfRecord(5)+`1\t100\t.\tA\tG\t50\tPASS\tX=${'a'.repeat(size*MB)}\tGT\t0/1${end}`;
  const id = await p.upload(`f-${size}-${gz}-${end.length}`, gz ? gzipSync(text,{level:1}) : text);
  const e = await p.ingest(id).catch(e=>({state:String(e)} as any));
  console.log(size, gz?'gz':'plain', end?'nl':'no-nl', e.state, JSON.stringify(e.error), e.progress?.rows);
}
} finally { await app.stop(); }
