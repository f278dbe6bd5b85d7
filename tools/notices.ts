/**
 * The licences of what is bundled into the command line, beside it: `tsx tools/notices.ts META FOLDER`. Reads esbuild's
 * metafile; fails when a bundled package names no licence.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesIn } from './bundle.ts';

const [meta = '', folder = ''] = process.argv.slice(2);
const { inputs } = JSON.parse(readFileSync(meta, 'utf8')) as { readonly inputs: Readonly<Record<string, unknown>> };

/** The text, or where a package carries none what its manifest says. */
function licenceOf(path: string, { name = '', license }: Readonly<Record<string, string>>): string {
  const file = readdirSync(path).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  if (file !== undefined) return readFileSync(join(path, file), 'utf8').trim();
  if (license === undefined) throw new Error(`${name} names no licence: it cannot be bundled`);
  return `Licence: ${license}`;
}

const bundled = packagesIn(inputs).filter((path) => existsSync(join(path, 'package.json')));
const texts = bundled.map((path) => {
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, string>;
  return `${manifest['name']} ${manifest['version']}\n\n${licenceOf(path, manifest)}\n`;
});
writeFileSync(join(folder, 'THIRD-PARTY-NOTICES'), texts.join(`\n${'-'.repeat(80)}\n\n`));
