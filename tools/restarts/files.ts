/** Where the examples stand, and what the last release left of them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatYaml, type KubeObject, type New, parseYamlDocuments } from '@signalbox/cluster';
import { recordOf } from './record.ts';

/** Of a checkout. Its files are read by `signalbox diff -f`, too. */
export const recordFolder = 'tools/restarts/last-release';

const [goldens, quickstart] = ['packages/telemetry/src/testdata', 'examples/quickstart'];

/** What the examples of a checkout come to, by the name of their file in the record. */
export function recordsOf(checkout: string): ReadonlyMap<string, string> {
  const features = yamlIn(join(checkout, goldens));
  const examples: readonly (readonly [string, readonly string[]])[] = [
    ...features.map((name) => [name, [join(goldens, name)]] as const),
    ['quickstart.yaml', yamlIn(join(checkout, quickstart)).map((name) => join(quickstart, name))],
  ];
  return new Map(
    examples.map(([name, paths]) => {
      const manifests = paths.flatMap((path) => objectsIn(join(checkout, path), path)) as readonly New<KubeObject>[];
      return [name, recordOf(manifests).map(formatYaml).join('---\n')];
    }),
  );
}

/** What the last release left; undefined where none has left anything. */
export function lastRecords(checkout: string): readonly (readonly KubeObject[])[] | undefined {
  const folder = join(checkout, recordFolder);
  if (!existsSync(folder)) return undefined;
  return yamlIn(folder).map((name) => objectsIn(join(folder, name), join(recordFolder, name)) as readonly KubeObject[]);
}

export function writeRecords(checkout: string, records: ReadonlyMap<string, string>): void {
  const folder = join(checkout, recordFolder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of records) writeFileSync(join(folder, name), text);
}

function yamlIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
}

function objectsIn(path: string, source: string): readonly unknown[] {
  return parseYamlDocuments(readFileSync(path, 'utf8'), { source }).map(({ value }) => value);
}
