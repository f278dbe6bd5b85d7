/**
 * A package's `index.ts` names all that it exports, and whoever imports one name from there would be bundled with every file behind
 * it that any command uses: pieces of a bundle are cut by which files import which. So imports of our own packages are led past that
 * door, to the files themselves, while they are bundled. Then a command loads what it needs, and nothing of the others.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const packages = resolve(import.meta.dirname, '../packages');
const doors: Readonly<Record<string, string>> = Object.fromEntries(
  ['cluster', 'telemetry', 'node'].map((name) => [`@signalbox/${name}`, join(packages, name, 'src/index.ts')]),
);

export const pastDoors: Plugin = {
  name: 'past-doors',
  setup({ onLoad }) {
    const known = new Map<string, Door>();
    const behind = (specifier: string): Door | undefined => {
      const file = doors[specifier];
      if (file === undefined) return undefined;
      const door = known.get(specifier) ?? doorOf(file);
      known.set(specifier, door);
      return door;
    };
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path.startsWith(packages)
        ? { contents: ledPast(await readFile(path, 'utf8'), behind), loader: 'ts', resolveDir: dirname(path) }
        : undefined,
    );
  },
};

/** Where what is exported stands, and what it is called there. */
export type Door = ReadonlyMap<string, { readonly file: string; readonly name: string }>;

function doorOf(file: string): Door {
  return readDoor(readFileSync(file, 'utf8'), (path) => {
    const found = resolve(dirname(file), path);
    return { file: found, text: () => readFileSync(found, 'utf8') };
  });
}

interface Source {
  readonly file: string;
  text(): string;
}

/** Types are not in it: they are gone before anything is bundled. */
export function readDoor(index: string, open: (path: string) => Source): Door {
  const door = new Map<string, { readonly file: string; readonly name: string }>();
  for (const [, names, path = ''] of index.matchAll(/^export (\{[^}]*\}|\*) from '([^']+)';$/gm)) {
    const { file, text } = open(path);
    if (names === '*')
      for (const [, name = ''] of text().matchAll(/^export (?:const|function|class) (\w+)/gm))
        door.set(name, { file, name });
    else for (const { name, as } of namesIn(names)) door.set(as, { file, name });
  }
  return door;
}

/** The source with its imports of doors led to the files behind them; on the same lines as before. */
export function ledPast(source: string, behind: (specifier: string) => Door | undefined): string {
  return source.replace(
    /^(import|export) (\{[^}]*\}) from '(@signalbox\/\w+)';/gm,
    (whole, word: string, names: string, specifier: string) => {
      const door = behind(specifier);
      if (door === undefined) return whole;
      const led = namesIn(names).map(({ name, as }) => {
        const found = door.get(name);
        if (found === undefined) throw new Error(`${specifier} exports no ${name}`);
        return `${word} { ${found.name} as ${as} } from ${JSON.stringify(found.file)};`;
      });
      return led.join(' ') + '\n'.repeat(whole.split('\n').length - 1);
    },
  );
}

function namesIn(list = ''): readonly { readonly name: string; readonly as: string }[] {
  return list
    .slice(1, -1)
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => {
      const [name = '', as = name] = each.split(' as ');
      return { name, as };
    });
}
