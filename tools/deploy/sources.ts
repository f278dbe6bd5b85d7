/** What is written by hand in deploy/monitoring. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYamlDocuments } from '@signalbox/cluster';
import type { Monitoring } from './monitoring.ts';
import type { Plain } from './template.ts';

const folder = join(import.meta.dirname, '../../deploy/monitoring');

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

function documentIn(file: string): { readonly [key: string]: Plain } {
  const [document] = parseYamlDocuments(read(file), { source: `deploy/monitoring/${file}` });
  return document?.value as { readonly [key: string]: Plain };
}

function endpoints(): Monitoring['endpoints'] {
  const { spec } = documentIn('servicemonitor.yaml') as { readonly spec?: Partial<Pick<Monitoring, 'endpoints'>> };
  return spec?.endpoints ?? [];
}

export const monitoringSources: Monitoring = {
  groups: documentIn('rules.yaml')['groups'] ?? [],
  endpoints: endpoints(),
  dashboard: read('dashboard.json'),
};
