/** How the operator is watched, for clusters that have the Prometheus Operator's resources and Grafana: from the sources in deploy/monitoring. */
import type { Document } from './documents.ts';
import { type Expression, releaseNamespace, text, value } from './expression.ts';
import { nameOf, selectorOf } from './parts.ts';
import { type Plain, type Template, type TemplateMap, when } from './template.ts';

export interface Monitoring {
  /** The groups of rules.yaml. */
  readonly groups: Plain;
  /** The endpoints of servicemonitor.yaml. */
  readonly endpoints: readonly { readonly [key: string]: Plain }[];
  /** dashboard.json as it is. */
  readonly dashboard: string;
}

/** Where the chart has the dashboard. */
export const dashboardPath = 'files/dashboard.json';

export function monitoringDocuments({ groups, endpoints, dashboard }: Monitoring): readonly Document[] {
  const api = 'monitoring.coreos.com/v1';
  return [
    {
      why: 'By which a Prometheus reads the metrics.',
      object: when(value('monitoring.serviceMonitor.enabled'), {
        ...{ apiVersion: api, kind: 'ServiceMonitor', metadata: metadata('serviceMonitor') },
        spec: { selector: { matchLabels: selectorOf('operator') }, endpoints: endpoints.map(endpoint) },
      }),
    },
    {
      why: 'Alerts: docs/operating.md says what each means, and the mend.',
      object: when(value('monitoring.rules.enabled'), {
        ...{ apiVersion: api, kind: 'PrometheusRule', metadata: metadata('rules') },
        spec: { groups: verbatim(groups) },
      }),
    },
    {
      why: 'What Grafana takes in as a dashboard, by a label.',
      object: when(value('monitoring.dashboard.enabled'), {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('dashboard', '-dashboard') },
        data: { 'signalbox.json': { $: 'file', path: dashboardPath, text: dashboard } },
      }),
    },
  ];
}

/** As the chart serves the metrics. */
function endpoint(plain: { readonly [key: string]: Plain }): Template {
  const [tlsSecret, tokenSecret] = [value('metrics.tlsSecret'), value('metrics.tokenSecret')];
  return {
    ...(verbatim(plain) as TemplateMap),
    scheme: when(tlsSecret, 'https'),
    tlsConfig: when(tlsSecret, {
      ca: { secret: { name: tlsSecret, key: 'ca.crt' } },
      serverName: text`${nameOf('operator')}.${releaseNamespace}.svc`,
    }),
    authorization: when(tokenSecret, { credentials: { name: tokenSecret, key: 'token' } }),
  };
}

/** Whoever selects them goes by labels of their own. */
function metadata(part: string, rest = ''): TemplateMap {
  const labels: Expression = value(`monitoring.${part}.labels`);
  return { name: nameOf('operator', rest), namespace: releaseNamespace, labels: when(labels, labels) };
}

/** Braces in it are for Prometheus, and Helm leaves them alone. */
function verbatim(plain: Plain): Template {
  if (typeof plain === 'string') return plain.includes('{{') ? { $: 'text', parts: [plain] } : plain;
  if (plain === null) throw new Error('there is no null in rules');
  if (typeof plain !== 'object') return plain;
  if (Array.isArray(plain)) return plain.map((each: Plain) => verbatim(each));
  return Object.fromEntries(Object.entries(plain).map(([key, each]) => [key, verbatim(each as Plain)]));
}
