/**
 * A library's ES modules once more as CommonJS, for Jest on Node 20 and whoever else requires them:
 * `tsx tools/commonjs.ts packages/cluster/dist`. File by file, with the types beside them, into `cjs/` of that folder.
 */
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

const [dist = ''] = process.argv.slice(2);
const target = join(dist, 'cjs');
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => !file.startsWith('cjs'));
const types = files.filter((file) => file.endsWith('.d.ts'));
const modules = files.filter((file) => file.endsWith('.js'));

buildSync({
  entryPoints: modules.map((file) => join(dist, file)),
  outdir: target,
  outbase: dist,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // Jest has no import() inside of CommonJS.
  supported: { 'dynamic-import': false },
});
for (const file of types) {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  copyFileSync(join(dist, file), join(target, file));
}
writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
