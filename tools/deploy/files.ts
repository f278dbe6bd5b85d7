/** All of `deploy/`, written from one source: `npm run gen` writes it, a test compares. */
import { formatYaml } from '@signalbox/cluster';
import { adapterRights, customResourceDefinitions, defaultComponents, operatorRights } from '@signalbox/telemetry';
import { operatorLease } from '../../packages/cli/src/io/lease.ts';
import { adapterDocuments } from './adapter.ts';
import { commented, type Document, helmFile, manifestFile } from './documents.ts';
import type { Scope } from './expression.ts';
import { dashboardPath, monitoringDocuments } from './monitoring.ts';
import { operatorRoles, operatorWorkload } from './operator.ts';
import { monitoringSources as sources } from './sources.ts';
import type { Plain } from './template.ts';
import { type Choices, choices, isChoice, schemaOf, usualValues } from './values.ts';
import { linesOf } from './yaml.ts';

const facts = { rights: operatorRights(defaultComponents()), leaseName: operatorLease.name };
const adapter = adapterDocuments(adapterRights);
const operator = [...operatorRoles(facts), ...operatorWorkload];
const monitoring = monitoringDocuments(sources);

const namespace: Document = {
  why: 'Pods here hold to the strictest profile of pod security, as those of Signalbox do.',
  object: {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'signalbox', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  },
};

/** What Helm says when it is done. */
const notes = `Signalbox looks after {{ if .Values.namespaces }}{{ join ", " .Values.namespaces }}{{ else }}all namespaces{{ end }}:
  kubectl get grafanaagents,prometheuses,prometheusagents -A
What it does:
  kubectl logs -n {{ .Release.Namespace }} -l app.kubernetes.io/instance={{ .Release.Name }},app.kubernetes.io/component=operator --prefix
`;

const enabled = { enabled: true };
const watched = { serviceMonitor: enabled, rules: enabled, dashboard: enabled };

/** By their paths below `deploy/`. */
export function deployFiles(version: string): ReadonlyMap<string, string> {
  const plain = (documents: readonly Document[], values: Given = {}): string =>
    manifestFile([namespace, ...documents], scopeOf({ version, values }));
  return new Map([
    ['operator.yaml', `${generated}${plain(operator)}`],
    ['adapter.yaml', `${generated}${plain(adapter, { adapter: { enabled: true } })}`],
    [
      'monitoring.yaml',
      `${generated}${manifestFile(monitoring, scopeOf({ version, values: { monitoring: watched } }))}`,
    ],
    ['chart/Chart.yaml', chartFile(version)],
    ['chart/values.yaml', valuesFile(choices)],
    ['chart/values.schema.json', `${JSON.stringify(schemaOf(choices), null, 2)}\n`],
    ['chart/templates/roles.yaml', helmFile(operatorRoles(facts))],
    ['chart/templates/operator.yaml', helmFile(operatorWorkload)],
    ['chart/templates/adapter.yaml', helmFile(adapter)],
    ['chart/templates/NOTES.txt', notes],
    ['chart/templates/monitoring.yaml', helmFile(monitoring)],
    [`chart/${dashboardPath}`, sources.dashboard],
    ...customResourceDefinitions().map(
      (definition) => [`chart/crds/${definition.metadata.name}.yaml`, formatYaml(definition)] as const,
    ),
  ]);
}

const generated = '# Written by `npm run gen`, as the chart is: what the chart comes to with its usual values.\n';

type Given = Readonly<Record<string, unknown>>;

/** One installation: the usual values, and what is given besides. */
export function scopeOf({ version, values = {} }: { readonly version: string; readonly values?: Given }): Scope {
  return {
    Values: merged(usualValues(choices), values),
    Release: { Name: 'signalbox', Namespace: 'signalbox' },
    Chart: { AppVersion: version },
  };
}

/** As Helm merges values: maps by their keys, everything else as a whole. */
function merged(usual: Given, given: Given): Given {
  const entries = Object.entries(given).map(([key, value]) => {
    const below = usual[key];
    return [key, isMap(value) && isMap(below) ? merged(below, value) : value];
  });
  return { ...usual, ...(Object.fromEntries(entries) as Given) };
}

function isMap(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the chart comes to, namespace and definitions apart. */
export function chartManifest(scope: Scope): string {
  return manifestFile([...operator, ...adapter, ...monitoring], scope);
}

function chartFile(version: string): string {
  const chart: Plain = {
    apiVersion: 'v2',
    name: 'signalbox',
    description: "The control point for a cluster's telemetry",
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.25.0-0',
    home: 'https://signalbox.dev',
    sources: ['https://github.com/signalbox-dev/signalbox'],
  };
  return `${linesOf(chart).join('\n')}\n`;
}

function valuesFile({ says, of }: Choices): string {
  return `${[...commented(says), ...choiceLines(of)].join('\n')}\n`;
}

function choiceLines(of: Choices['of']): readonly string[] {
  return Object.entries(of).flatMap(([name, one]) => [
    '',
    ...commented(one.says),
    ...(isChoice(one) ? linesOf({ [name]: one.usual }) : [`${name}:`, ...choiceLines(one.of).slice(1).map(below)]),
  ]);
}

function below(line: string): string {
  return line === '' ? '' : `  ${line}`;
}
