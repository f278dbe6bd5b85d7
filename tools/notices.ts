/**
 * The licences of what is bundled into the command line, beside it: `tsx tools/notices.ts META FOLDER`. Reads esbuild's
 * metafile; fails when a bundled package names no licence.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [meta = '', folder = ''] = process.argv.slice(2);
const { inputs } = JSON.parse(readFileSync(meta, 'utf8')) as { readonly inputs: Readonly<Record<string, unknown>> };

/** `node_modules/@a/b/dist/x.js` → `node_modules/@a/b`, also for nested ones. */
function packageOf(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

/** The text, or where a package carries none what its manifest says. */
function licenceOf(path: string, { name = '', license }: Readonly<Record<string, string>>): string {
  const file = readdirSync(path).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (file !== undefined) return readFileSync(join(path, file), 'utf8').trim();
  if (license === undefined) throw new Error(`${name} names no licence: it cannot be bundled`);
  return `Licence: ${license}`;
}

const bundled = [...new Set(Object.keys(inputs).map(packageOf))]
  .filter((path): path is string => path !== undefined && existsSync(join(path, 'package.json')))
  .sort((a, b) => (a < b ? -1 : 1));
const texts = bundled.map((path) => {
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, string>;
  return `${manifest['name']} ${manifest['version']}\n\n${licenceOf(path, manifest)}\n`;
});
writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), texts.join(`\n${'-'.repeat(80)}\n\n`));
