import type { KubeObject } from '@signalbox/cluster';
import type { Prometheus } from '../../../resources/prometheus.ts';
import type { PrometheusAgent } from '../../../resources/prometheus-agent.ts';
import { checkScrapeTimes } from '../../../scrape/checks.ts';
import { given } from '../../../scrape/given.ts';
import type { Section } from '../../../scrape/http.ts';
import type { Leaf } from '../../../scrape/leaf.ts';
import { toYamlPieces, type YamlText } from '../../../scrape/yaml.ts';
import { prometheusAgentFields, prometheusFields } from './fields/roots.ts';
import { sheetOf } from './fields/sheets.ts';
import type { EnforcedLimits } from './settings.ts';
import type { Version } from './version.ts';

export type PrometheusRoot = Prometheus | PrometheusAgent;

export interface Parts {
  readonly version: Version;
  readonly leaf: Leaf;
  readonly enforced: EnforcedLimits;
  /** In the order in which they stand in the file. */
  readonly jobs: readonly (YamlText | Section)[];
  readonly remoteWrite: readonly Section[];
}

/** The file that every shard of a root runs from, in pieces; the config reloader puts each pod's own values into it. */
export function prometheusDocument(
  root: PrometheusRoot,
  { jobs, remoteWrite, enforced, version, leaf }: Parts,
): readonly string[] {
  const { spec } = root;
  const fields = fieldsOf(root);
  const place = { root, enforced, version, leaf, at: 'spec' };
  checkTogether(root, leaf);
  const section: SectionOf = (sheet) => sheetOf(spec, { fields, sheet }, place);
  return toYamlPieces({
    global: sheetOf(spec, { fields, sheet: 'global' }, place),
    ...given({ runtime: section('runtime') }),
    scrape_configs: jobs,
    ...given({ storage: storageSection(section), remote_write: remoteWrite }),
  });
}

/** What becomes of every field of the root. */
export function fieldsOf(root: PrometheusRoot): object {
  return isServer(root) ? prometheusFields : prometheusAgentFields;
}

/** What a root has that picks nothing at all: enough to start with, and a place to write to by hand. */
export const emptyDocument: readonly string[] = [];

/** A section of the configuration; undefined: nothing of it is said. */
type SectionOf = (sheet: 'exemplars' | 'retention' | 'runtime' | 'tsdb') => Section;

function storageSection(section: SectionOf): Section {
  return given({
    tsdb: given({ ...section('tsdb'), retention: section('retention') }),
    exemplars: section('exemplars'),
  });
}

/** What several fields have to agree about. */
function checkTogether({ spec }: PrometheusRoot, leaf: Leaf): void {
  const fields = { interval: 'spec.scrapeInterval', timeout: 'spec.scrapeTimeout' };
  checkScrapeTimes(
    { interval: spec.scrapeInterval, timeout: spec.scrapeTimeout, defaultInterval: '30s', fields },
    leaf,
  );
  if (spec.nameEscapingScheme === 'AllowUTF8' && spec.nameValidationScheme === 'Legacy')
    leaf.reject(
      'InvalidField',
      'spec.nameEscapingScheme',
      'AllowUTF8 needs a nameValidationScheme that takes such names: UTF8',
    );
}

export function isServer(root: KubeObject): root is Prometheus {
  return root.kind === 'Prometheus';
}
