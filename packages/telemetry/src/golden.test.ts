import { readdirSync, readFileSync } from 'node:fs';
import type { KubeObject, New } from '@signalbox/cluster';
import { expect, inject, test } from 'vitest';
import { defaultComponents } from './components.ts';
import { type RenderedManifests, renderManifests } from './operator/render.ts';
import { toYaml } from './scrape/yaml.ts';
import { objectsOf } from './testing/world.ts';
import { formatTree } from './tree/tree.ts';
import { describeFinding } from './world/findings.ts';

/*
 * Each testdata/<feature>.yaml is what a user writes, each testdata/<feature>.golden.txt what comes of it. A first line
 * `# objects` shows the generated objects, too. `vitest -u` rewrites; commit only what you can explain.
 */
const folder = new URL('testdata/', import.meta.url);
const features = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length));

test.each(features)('%s comes to what its golden file says', async (feature) => {
  const text = readFileSync(new URL(`${feature}.yaml`, folder), 'utf8');
  const rendered = renderManifests(objectsOf(text), { components: defaultComponents(), nowMs: 0 });
  const golden = describe(rendered, { withObjects: text.startsWith('# objects') });
  await expect(golden).toMatchFileSnapshot(new URL(`${feature}.golden.txt`, folder).pathname);
});

test('rendering one world again and again gives the same bytes', () => {
  const objects = objectsOf(
    features.map((name) => readFileSync(new URL(`${name}.yaml`, folder), 'utf8')).join('\n---\n'),
  );
  const render = (): string =>
    JSON.stringify(renderManifests(objects, { components: defaultComponents(), nowMs: 0 }).objects);
  const first = render();
  for (let round = 1; round < 7 * inject('thoroughness'); round++) expect(render()).toBe(first);
});

test('the order in which objects arrive makes no difference', () => {
  for (const feature of features) {
    const objects = objectsOf(readFileSync(new URL(`${feature}.yaml`, folder), 'utf8'));
    const options = { components: defaultComponents(), nowMs: 0 };
    expect(renderManifests([...objects].reverse(), options)).toEqual(renderManifests(objects, options));
  }
});

function describe(
  { configs, findings, trees, objects }: RenderedManifests,
  { withObjects }: { withObjects: boolean },
): string {
  return [
    ...trees.map(formatTree),
    ...findings.map((finding) => `${finding.severity} ${finding.reason}: ${describeFinding(finding)}\n`),
    '\n',
    ...Object.entries(configs).map(([name, text]) => `--- ${name}\n${text}`),
    ...(withObjects ? objects.map(objectText) : []),
  ].join('');
}

function objectText(object: New<KubeObject>): string {
  const { metadata, kind } = object;
  const isConfig = kind === 'Secret' && !metadata.name?.endsWith('-secrets');
  const shown = isConfig ? { ...object, data: '(above)' } : object;
  return `--- ${kind} ${metadata.name}\n${toYaml(shown)}`;
}
