import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { renderManifests } from './operator/render.ts';
import type { Prometheus } from './resources/prometheus.ts';
import { componentsForPromtool, forPromtool, openPromtool } from './testing/promtool.ts';
import { objectsOf } from './testing/world.ts';

/*
 * Prometheus' own opinion of the configurations. The oldest promtool that is around is asked about configurations for its
 * own version, which also shows that nothing younger is in them.
 */
const promtool = openPromtool();
const folder = new URL('testdata/', import.meta.url);
const features = readdirSync(folder).filter((name) => /^prometheus-.*\.yaml$/.test(name));

afterAll(() => promtool?.close());

test('promtool is there where it has to be', () => {
  if (process.env['CI'] !== undefined) expect(promtool, 'install promtool: apt-get install prometheus').toBeDefined();
  else if (promtool === undefined) process.stderr.write('promtool is not installed: configurations go unchecked\n');
});

test.skipIf(promtool === undefined).each(features)('Prometheus takes every configuration of %s', (feature) => {
  if (promtool === undefined) return;
  const objects = objectsOf(readFileSync(new URL(feature, folder), 'utf8'))
    // One root is there to be refused for its version.
    .map((object) => ((object as Prometheus).spec?.version === '1.8' ? object : forPromtool(object, promtool)));
  const { configs } = renderManifests(objects, { components: componentsForPromtool(), nowMs: 0 });
  for (const mode of ['agent', 'server'] as const) {
    const files = Object.entries(configs).filter(
      ([name]) => name.endsWith('prometheus.yaml.gz') && name.includes('/prom-agent-') === (mode === 'agent'),
    );
    const complaints = promtool.complaints(
      files.map(([, text]) => text),
      mode,
    );
    for (const [index, [name, text]] of files.entries()) expect(complaints[index], `${name}:\n${text}`).toBe('');
  }
});

test.skipIf(promtool === undefined)('promtool would say so if it did not', () => {
  const [fine, bad] = promtool?.complaints(['global: {}', 'global: { scrape_interval: often }'], 'server') ?? [];
  expect(fine).toBe('');
  expect(bad).toContain('often');
});
