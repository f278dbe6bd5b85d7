import { expect, test } from 'vitest';
import { renderManifests } from '../../../operator/render.ts';
import { objectsOf } from '../../../testing/world.ts';
import { describeFinding } from '../../../world/findings.ts';
import { createGrafanaAgentComponent } from '../component.ts';

/*
 * The agent reads its file as a whole: what it would refuse in one place must cost that place only. Each case is one wrong
 * thing in a world that is fine otherwise, with the object that pays for it.
 */
interface Wrong {
  readonly root?: string;
  readonly instance?: string;
  readonly logsInstance?: string;
  readonly more?: string;
}

const jobs = (text: string): string => `additionalScrapeConfigs: { name: jobs, key: ${text} }`;

function rendered({ root = '', instance = '', logsInstance = '', more = '' }: Wrong): {
  readonly findings: readonly string[];
  readonly metrics: string;
  readonly logs: string;
} {
  const { configs, findings } = renderManifests(
    objectsOf(
      [
        `{ apiVersion: v1, kind: Secret, metadata: { name: login, namespace: m }, stringData: { user: me, token: hush } }`,
        `
apiVersion: v1
kind: Secret
metadata: { name: jobs, namespace: m }
stringData:
  twice: '[{ job_name: canary }, { job_name: canary, scheme: https }, { job_name: other }]'
  regex: '[{ job_name: canary, relabel_configs: [{ regex: "canary(", action: Keep, source_labels: [a] }] }, { job_name: other }]'
  rules: '[{ job_name: canary, metric_relabel_configs: canary }, { job_name: other }]'
  camel: '[{ job_name: other, relabel_configs: [{ regex: a, action: labelDrop }, { modulus: 3, source_labels: [a], target_label: b, action: hashmod }] }]'`,
        `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec: { metrics: { instanceSelector: {}, shards: 1 }, logs: { instanceSelector: {} }, ${root} }`,
        `
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: fine, namespace: m }
spec: { serviceMonitorSelector: {}, podMonitorSelector: {}, probeSelector: {}, ${instance} }`,
        `
apiVersion: monitoring.grafana.com/v1alpha1
kind: LogsInstance
metadata: { name: fine, namespace: m }
spec: { podLogsSelector: {}, ${logsInstance} }`,
        `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: fine, namespace: m }
spec: { selector: {}, endpoints: [{ port: http }] }`,
        ...(more === '' ? [] : [more]),
      ].join('\n---\n'),
    ),
    { components: [createGrafanaAgentComponent()], nowMs: 0 },
  );
  return {
    findings: findings.map((finding) => `${finding.severity} ${describeFinding(finding)}`),
    metrics: configs['m/agent-config/agent.yml'] ?? '',
    logs: configs['m/agent-logs-config/agent.yml'] ?? '',
  };
}

const monitor = (spec: string): string =>
  `{ apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: { name: bad, namespace: m }, spec: { ${spec} } }`;
const podMonitor = (spec: string): string =>
  `{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: bad, namespace: m }, spec: { ${spec} } }`;
const podLogs = (spec: string): string =>
  `{ apiVersion: monitoring.grafana.com/v1alpha1, kind: PodLogs, metadata: { name: bad, namespace: m }, spec: { ${spec} } }`;

test('a world in which nothing is wrong has nothing to say', () => {
  const { findings, metrics, logs } = rendered({});
  expect(findings).toEqual([]);
  expect(metrics).toContain('job_name: serviceMonitor/m/fine/0');
  expect(logs).toContain('name: m/fine');
});

test.each<[string, string, string]>([
  [
    'a port',
    monitor('selector: {}, endpoints: [{ port: "(" }]'),
    '__meta_kubernetes_endpoint_port_name is refused: regex',
  ],
  [
    'a target port',
    monitor('selector: {}, endpoints: [{ targetPort: "[" }]'),
    '__meta_kubernetes_pod_container_port_name is refused: regex',
  ],
  [
    'a label to match',
    monitor('selector: { matchLabels: { a: "(?=x)" } }, endpoints: []').replace('[]', '[{ port: a }]'),
    '__meta_kubernetes_service_label_a is refused: regex',
  ],
  [
    'a value of an expression',
    podMonitor(
      'selector: { matchExpressions: [{ key: a, operator: In, values: [x, "*"] }] }, podMetricsEndpoints: [{ port: a }]',
    ),
    '__meta_kubernetes_pod_label_a is refused: regex',
  ],
  [
    'a target label that starts with a digit',
    monitor('selector: {}, targetLabels: [8base.io/team], endpoints: [{ port: a }]'),
    'refused: targetLabel "8base_io_team" is no label name',
  ],
  [
    'an empty pod target label',
    podLogs('selector: {}, podTargetLabels: [""]'),
    '__meta_kubernetes_pod_label_ is refused: targetLabel',
  ],
  ['a size', monitor('selector: {}, bodySizeLimit: abc10MB, endpoints: [{ port: a }]'), '"abc10MB" is no size'],
  [
    'the proxy of a login',
    monitor(
      'selector: {}, endpoints: [{ port: a, oauth2: { clientId: { secret: { name: login, key: user } }, clientSecret: { name: login, key: user }, tokenUrl: "http://t", proxyUrl: "http://x:abc/" } }]',
    ),
    'spec.endpoints[0].oauth2.proxyUrl: is no URL',
  ],
  [
    'an escape in a host',
    monitor('selector: {}, endpoints: [{ port: a, proxyUrl: "socks5://a%20b" }]'),
    'spec.endpoints[0].proxyUrl: is no URL',
  ],
  [
    'versions of TLS',
    monitor('selector: {}, endpoints: [{ port: a, tlsConfig: { minVersion: TLS13, maxVersion: TLS10 } }]'),
    'spec.endpoints[0].tlsConfig.maxVersion: TLS10 is older than the TLS13 of minVersion',
  ],
])('what is wrong in %s of a monitor costs that monitor', (_, more, message) => {
  const { findings, metrics, logs } = rendered({ more });
  expect(findings).toEqual([expect.stringContaining(message)]);
  expect(findings[0]).toMatch(/^error (ServiceMonitor|PodMonitor|PodLogs) m\/bad: /);
  expect(metrics).toContain('job_name: serviceMonitor/m/fine/0');
  expect(`${metrics}${logs}`).not.toContain('/m/bad');
});

test.each<[string, string]>([
  ['twice', '[1].job_name: another job has the same name already: this job is left out'],
  ['regex', '[0].relabel_configs[0]: is no valid rule: this job is left out'],
  ['rules', '[0].metric_relabel_configs: is no list of rules: this job is left out'],
])(
  'an additional job that the agent would refuse is left out, and nothing of the Secret is told (%s)',
  (key, message) => {
    const { findings, metrics } = rendered({ instance: jobs(key) });
    expect(findings).toEqual([`warning MetricsInstance m/fine: spec.additionalScrapeConfigs${message}`]);
    expect(findings.join()).not.toContain('canary');
    expect(metrics).toContain('job_name: other');
    expect(metrics).toContain('job_name: serviceMonitor/m/fine/0');
  },
);

test('additional jobs may spell actions as they like', () => {
  expect(rendered({ instance: jobs('camel') }).findings).toEqual([]);
});

const nested = (yaml: string): string => `match: { selector: '{a="b"}', stages: ${JSON.stringify(yaml)} }`;

test.each<[string, string]>([
  ['regex: { expression: "(?=x)" }', '.regex.expression: is no regular expression of RE2'],
  ['regex: { expression: "" }', '.regex.expression: must not be empty'],
  ['replace: { expression: "(" }', '.replace.expression: is no regular expression of RE2'],
  ['json: {}', '.json.expressions: must not be empty'],
  ['template: { source: "", template: x }', '.template.source: must not be empty'],
  [
    'timestamp: { source: t, format: RFC3339, actionOnFailure: cry }',
    '.timestamp.actionOnFailure: "cry" is none of fudge, skip',
  ],
  ['output: { source: "" }', '.output.source: must not be empty'],
  ['labelDrop: []', '.labelDrop: must name at least one label'],
  ['labelAllow: []', '.labelAllow: must name at least one label'],
  ['labels: { a-b: x }', '.labels[a-b]: "a-b" is no label name'],
  ['limit: { rate: 0, burst: 1 }', '.limit.rate: must be greater than 0'],
  ['multiline: { firstLine: "[", maxWaitTime: 3s }', '.multiline.firstLine: is no regular expression of RE2'],
  [
    'multiline: { firstLine: x, maxWaitTime: 1d }',
    '.multiline.maxWaitTime: "1d" is no duration such as 500ms or 1h30m',
  ],
  ['tenant: {}', '.tenant: needs exactly one of label, source and value'],
  ['tenant: { source: a, value: b }', '.tenant: needs exactly one of label, source and value'],
  ['drop: {}', '.drop: needs at least one of source, expression, olderThan and longerThan'],
  ['drop: { expression: "(", olderThan: 24h }', '.drop.expression: is no regular expression of RE2'],
  ['drop: { source: a, expression: b, value: c }', '.drop: takes expression or value, not both'],
  ['match: { selector: "", action: drop }', '.match.selector: must not be empty'],
  ['match: { selector: \'{a="b"}\' }', '.match.stages: needs at least one stage'],
  [
    "match: { selector: '{a=\"b\"}', action: hide, stages: '- cri: {}' }",
    '.match.action: "hide" is none of drop, keep',
  ],
  ['metrics: { m: { type: counter, action: set } }', '.metrics.m.action: "set" is none of add, inc'],
  [
    'metrics: { m: { type: Gauge, action: set, maxIdleDuration: soon } }',
    '.metrics.m.maxIdleDuration: "soon" is no duration',
  ],
  ['metrics: { m: { type: summary, action: inc } }', '.metrics.m.type: "summary" is no metric type'],
  ['json: { expressions: { id: request-id } }', '.json.expressions[id]: is no JMESPath expression: expected the end'],
  ['json: { expressions: { request-id: "" } }', '.json.expressions[request-id]: is no JMESPath expression'],
  ['json: { expressions: { id: "a[" } }', '.json.expressions[id]: is no JMESPath expression'],
  [
    'template: { source: a, template: "{{ .Value" }',
    '.template.template: is no template of Promtail: a {{ is not closed',
  ],
  ['template: { source: a, template: "{{ nope . }}" }', '.template.template: is no template of Promtail: there is no'],
  [
    'template: { source: a, template: "{{ break }}" }',
    '.template.template: is no template of Promtail: {{break}} stands',
  ],
  [
    `template: { source: a, template: '{{ env "TOKEN" }}' }`,
    '.template.template: is no template of Promtail: env would read the environment of the agents',
  ],
  [
    `replace: { expression: a, replace: '{{ env "TOKEN" }}' }`,
    '.replace.replace: is no template of Promtail: env would read the environment of the agents',
  ],
  [
    `replace: { expression: a, replace: '{{ nope (expandenv "$TOKEN") }}' }`,
    '.replace.replace: is no template of Promtail: there is no',
  ],
  ['match: { selector: "{}", action: drop }', '.match.selector: is no selector of Promtail: expected a label name'],
  [`match: { selector: 'a="b"', action: drop }`, '.match.selector: is no selector of Promtail: it needs a selector'],
  [`match: { selector: '{a="b"} | json', action: drop }`, '.match.selector: is no selector of Promtail: unexpected'],
  ['match: { selector: "{a=`b`}", action: drop }', '.match.selector: is no selector of Promtail: unexpected'],
  [`match: { selector: '{a="b",}', action: drop }`, '.match.selector: is no selector of Promtail: expected a label'],
  [`match: { selector: '{a="b"} # c', action: drop }`, '.match.selector: is no selector of Promtail: unexpected'],
  [
    'timestamp: { source: t, format: RFC3339, location: Mars/Olympus }',
    '.timestamp.location: "Mars/Olympus" is no time zone such as Europe/Berlin or UTC',
  ],
  ['timestamp: { source: t, format: RFC3339, location: europe/berlin }', '.timestamp.location: "europe/berlin" is no'],
  [
    'metrics: { m: { type: counter, action: inc, matchAll: true, value: "1" } }',
    '.metrics.m.value: has no place beside matchAll',
  ],
  [
    'metrics: { m: { type: counter, action: inc, matchAll: true, countEntryBytes: true } }',
    '.metrics.m.countEntryBytes: needs the action add',
  ],
  [
    'metrics: { m: { type: counter, action: add, countEntryBytes: true } }',
    '.metrics.m.countEntryBytes: needs matchAll',
  ],
  [
    'metrics: { m: { type: gauge, action: set, maxIdleDuration: 900ms } }',
    '.metrics.m.maxIdleDuration: must be at least 1s',
  ],
  [
    'metrics: { m: { type: histogram, action: inc, buckets: ["1", "5", "2"] } }',
    '.metrics.m.buckets: every bucket must be greater than the one before it',
  ],
  ['drop: { longerThan: 8kib }', '.drop.longerThan: "8kib" is no size such as 8kb or 1MB'],
  ['drop: { longerThan: 1.5kb }', '.drop.longerThan: "1.5kb" is no size'],
  ['drop: { value: a, olderThan: 1h }', '.drop.value: says nothing without source'],
  ['regex: { expression: "(?<level>x)" }', '.regex.expression: is no regular expression of RE2: a group is named by'],
  ['regex: { expression: "\\\\p{Emoji}" }', '.regex.expression: is no regular expression of RE2'],
  ['json: { expressions: { "": "" } }', '.json.expressions: an entry needs a name or an expression'],
  ['multiline: { firstLine: x, maxLines: -1 }', '.multiline.maxLines: must not be negative'],
  ['drop: { longerThan: 1Mb }', '.drop.longerThan: "1Mb" is no size such as 8kb or 1MB'],
  [
    `template: { source: a, template: '{{ define "x" }}1{{ end }}{{ define "x" }}2{{ end }}' }`,
    '.template.template: is no template of Promtail: there are two templates called "x"',
  ],
  [
    'metrics: { my-lines: { type: counter, action: inc } }',
    '.metrics.my-lines: "promtail_custom_my-lines" is no name of a metric',
  ],
  [nested('[]'), '.match.stages: needs at least one stage'],
  [nested('- {}'), '.match.stages: needs at least one stage'],
  [nested('[a'), '.match.stages: is no valid YAML'],
  [nested('a: b'), '.match.stages: must be a YAML list of pipeline stages'],
  [nested('- 5'), '.match.stages[0]: '],
  [nested('- metrics: { a: {} }'), '.match.stages[0].metrics.a'],
  [nested('- metrics: { a: { type: counter, action: inc, buckets: 5 } }'), '.match.stages[0].metrics.a.buckets'],
  [nested('- labels: 5'), '.match.stages[0].labels'],
  [nested('- regex: { expression: 5 }'), '.match.stages[0].regex.expression'],
  [
    nested(`- ${nested('- regex: { expression: "(" }')}`),
    '.match.stages[0].match.stages[0].regex.expression: is no regular',
  ],
])('the stage %s costs its PodLogs', (stage, message) => {
  const { findings, logs } = rendered({ more: podLogs(`selector: {}, pipelineStages: [{ ${stage} }]`) });
  const errors = findings.filter((finding) => finding.startsWith('error'));
  expect(errors[0]).toContain(`error PodLogs m/bad: spec.pipelineStages[0]${message}`);
  expect(errors.length).toBeLessThanOrEqual(2);
  expect(logs).toContain('name: m/fine');
  expect(logs).not.toContain('podLogs/m/bad');
});

test.each([
  'json: { expressions: { id: "", level: "log.level || `\\"info\\"`", first: "a[0].b" } }',
  `template: { source: a, template: '{{ if eq .Value "W" }}warn{{ else }}{{ .Value | ToLower }}{{ end }}' }`,
  `match: { selector: '{a="b", c=~"d.*"} |= "x"', action: drop }`,
  'timestamp: { source: t, format: RFC3339, location: America/Argentina/Buenos_Aires }',
  'timestamp: { source: t, format: RFC3339, location: US/Eastern }',
  'metrics: { m: { type: counter, action: add, matchAll: true, countEntryBytes: true, maxIdleDuration: 24h } }',
  'drop: { longerThan: 8 KB, source: a, value: b }',
  'regex: { expression: "(?P<a>x)|(?P<a>y)" }',
])('the stage %s is fine', (stage) => {
  const { findings, logs } = rendered({ more: podLogs(`selector: {}, pipelineStages: [{ ${stage} }]`) });
  expect(findings).toEqual([]);
  expect(logs).toContain('podLogs/m/bad');
});

test('a field that nobody knows in a nested stage is told of, and the rest is used', () => {
  const { findings, logs } = rendered({
    more: podLogs(`selector: {}, pipelineStages: [{ ${nested('- regex: { expression: a, expresion: b }')} }]`),
  });
  expect(findings).toEqual([
    'warning PodLogs m/bad: spec.pipelineStages[0].match.stages[0].regex.expresion: nobody knows this field',
  ]);
  expect(logs).toContain('expression: a');
});

const remote = (fields: string): Wrong => ({ instance: `remoteWrite: [{ url: "https://r", ${fields} }]` });
const client = (fields: string): Wrong => ({ logsInstance: `clients: [{ url: "https://l", ${fields} }]` });
const user = '{ name: login, key: user }';

test.each<[string, Wrong, string]>([
  ['no address', { instance: 'remoteWrite: [{ url: "" }]' }, 'spec.remoteWrite[0].url: must not be empty'],
  ['a broken escape', { instance: 'remoteWrite: [{ url: "http://x/%zz" }]' }, 'spec.remoteWrite[0].url: is no URL'],
  ['a line break', { instance: 'remoteWrite: [{ url: "http://x/a\\nb" }]' }, 'spec.remoteWrite[0].url: is no URL'],
  [
    'a host that Go takes for none',
    { instance: 'remoteWrite: [{ url: "http://a{b}/" }]' },
    'spec.remoteWrite[0].url: is no URL',
  ],
  ['a blank', { instance: 'remoteWrite: [{ url: " http://x" }]' }, 'spec.remoteWrite[0].url: is no URL'],
  [
    'a deadline',
    remote('queueConfig: { batchSendDeadline: soon }'),
    '.queueConfig.batchSendDeadline: "soon" is no duration',
  ],
  ['a back-off', remote('queueConfig: { minBackoff: 1x }'), '.queueConfig.minBackoff: "1x" is no duration'],
  ['an interval', remote('metadataConfig: { sendInterval: x }'), '.metadataConfig.sendInterval: "x" is no duration'],
  ['a header', remote('headers: { Host: x }'), '.headers[Host]: "Host" is set by the sender itself'],
  [
    'a header with a line break',
    remote('headers: { X-A: "a\\nb" }'),
    '.headers[X-A]: its value may not have line breaks',
  ],
  ['two tokens', remote('bearerToken: a, bearerTokenFile: /b'), '.bearerTokenFile: bearerToken is set as well'],
  [
    'two logins',
    remote(`bearerToken: a, basicAuth: { username: ${user} }`),
    'only one way to log in may be set, not basic_auth and authorization',
  ],
  ['two logins, one signing', remote('bearerToken: a, sigv4: {}'), 'not authorization and sigv4'],
  ['half a signature', remote(`sigv4: { accessKey: ${user} }`), '.sigv4: accessKey and secretKey go together'],
  [
    'a certificate without key',
    remote(`tlsConfig: { cert: { secret: ${user} } }`),
    '.tlsConfig: a certificate and its key belong together',
  ],
  [
    'OAuth2 without an id',
    remote(`oauth2: { clientId: {}, clientSecret: ${user}, tokenUrl: "https://t" }`),
    '.oauth2.clientId: OAuth2 does not work without it',
  ],
  [
    'one name twice',
    { instance: 'remoteWrite: [{ url: "https://a", name: x }, { url: "https://b" }, { url: "https://c", name: x }]' },
    'spec.remoteWrite[2].name: another remote is called "x" already',
  ],
  ['days in a Go duration', { instance: 'maxWALTime: 1d' }, 'spec.maxWALTime: "1d" is no duration'],
])('what is wrong with a remote or an instance costs that instance: %s', (_, wrong, message) => {
  const { findings, metrics } = rendered(wrong);
  expect(findings).toEqual([expect.stringMatching(/^error MetricsInstance m\/fine: /)]);
  expect(findings[0]).toContain(message);
  expect(metrics).toContain('configs: []');
});

test.each<[string, Wrong, string]>([
  ['no address', { logsInstance: 'clients: [{ url: "" }]' }, 'spec.clients[0].url: must not be empty'],
  ['a wait', client('batchWait: 1d'), '.batchWait: "1d" is no duration'],
  ['a timeout', client('timeout: soon'), '.timeout: "soon" is no duration'],
  ['a back-off', client('backoffConfig: { maxPeriod: x }'), '.backoffConfig.maxPeriod: "x" is no duration'],
  ['two logins', client(`bearerToken: a, basicAuth: { username: ${user} }`), 'not basic_auth and bearer_token'],
  ['a period', { logsInstance: 'targetConfig: { syncPeriod: x }' }, 'spec.targetConfig.syncPeriod: "x" is no duration'],
])('what is wrong with a client costs its instance: %s', (_, wrong, message) => {
  const { findings, logs } = rendered(wrong);
  expect(findings).toEqual([expect.stringMatching(/^error LogsInstance m\/fine: /)]);
  expect(findings[0]).toContain(message);
  expect(logs).toContain('configs: []');
});

test.each<[string, string]>([
  [
    'metrics: { instanceSelector: {}, enforcedNamespaceLabel: a-b }',
    'spec.metrics.enforcedNamespaceLabel: "a-b" is no label name',
  ],
  ['metrics: { instanceSelector: {}, metricsExternalLabelName: a-b }', 'spec.metrics.metricsExternalLabelName: "a-b"'],
  ['metrics: { instanceSelector: {}, replicaExternalLabelName: 1a }', 'spec.metrics.replicaExternalLabelName: "1a"'],
  ['metrics: { instanceSelector: {}, shards: 2147483647 }', 'spec.metrics.shards: may not be greater than 1000'],
  ['apiServer: { host: "" }, metrics: { instanceSelector: {} }', 'spec.apiServer.host: must not be empty'],
])('what is wrong with the root as a whole keeps its metrics as they are: %s', (root, message) => {
  const { objects, findings, configs } = renderManifests(
    objectsOf(`
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec: { ${root} }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: MetricsInstance
metadata: { name: fine, namespace: m }
`),
    { components: [createGrafanaAgentComponent()], nowMs: 0 },
  );
  expect(findings.map(describeFinding)).toEqual([expect.stringContaining(`GrafanaAgent m/agent: ${message}`)]);
  expect(configs).toEqual({});
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['agent-secrets']);
});

test('what is filled in from the environment later is not judged now', () => {
  const { findings, metrics, logs } = rendered({
    instance: `remoteWrite: [{ url: "$\{REMOTE}", remoteTimeout: "$(TIMEOUT)" }], maxWALTime: "$\{WAL}"`,
    logsInstance: 'clients: [{ url: "$(LOKI)/push" }]',
  });
  expect(findings).toEqual([]);
  expect(metrics).toContain(`url: $\{REMOTE}`);
  expect(logs).toContain('url: $(LOKI)/push');
});

test.each<[string, string, string]>([
  [
    'is only text',
    monitor(`selector: {}, endpoints: [{ port: a, proxyUrl: "http://$\{HOST}/" }]`),
    'error ServiceMonitor m/bad: spec.endpoints[0].proxyUrl: is no URL',
  ],
  [
    'makes no sense there',
    podLogs('selector: {}, pipelineStages: [{ multiline: { firstLine: a, maxWaitTime: $(POD_NAME) } }]'),
    'error PodLogs m/bad: spec.pipelineStages[0].multiline.maxWaitTime: "$(POD_NAME)" is no duration such as 500ms or 1h30m',
  ],
])('a variable of a monitor that %s costs the monitor', (_, more, message) => {
  const { findings, metrics, logs } = rendered({ more });
  expect(findings).toEqual([message]);
  expect(metrics + logs).not.toContain('/bad');
});

test('what variables bring to a pipeline is text, also where it looks like a number', () => {
  const stages = `[{ output: { source: $(SHARD) } }, { labels: { a: "x$(POD_NAME)", b: "$\{SHARD}" } }]`;
  const { logs } = rendered({ more: podLogs(`selector: {}, pipelineStages: ${stages}`) });
  expect(logs).toContain('source: "$(SHARD)"');
  expect(logs).toContain(`b: "$\{SHARD}"`);
  expect(logs).toContain('a: "x$(POD_NAME)"');
});

test('a port or an expression that is called null is no missing one', () => {
  const more = monitor(`selector: {}, endpoints: [{ port: 'null', relabelings: [{ targetLabel: a, regex: '~' }] }]`);
  const { metrics, findings } = rendered({ more });
  expect(findings).toEqual([]);
  expect(metrics).toContain("regex: !!str 'null'");
  expect(metrics).toContain("regex: !!str '~'");
});

test('an empty signature still signs, with what the environment holds', () => {
  const { findings, metrics } = rendered(remote('sigv4: {}'));
  expect(findings).toEqual([]);
  expect(metrics).toContain('sigv4: {}');
});

test('an integration that may run only once does, and one that mounts nothing is left out', () => {
  const integration = (name: string, spec: string): string =>
    `{ apiVersion: monitoring.grafana.com/v1alpha1, kind: Integration, metadata: { name: ${name}, namespace: m }, spec: { ${spec} } }`;
  const { configs, findings } = renderManifests(
    objectsOf(
      [
        `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: agent, namespace: m }
spec: { integrations: { selector: {} } }`,
        integration('a', 'name: agent, type: { unique: true }, config: { first: yes }'),
        integration('b', 'name: agent, type: {}, config: { second: yes }'),
        integration('c', 'name: agent, type: { unique: true, allNodes: true }, config: {}'),
        integration('d', 'name: redis, type: {}, config: {}'),
        integration('e', 'name: redis, type: {}, config: {}'),
        integration('f', 'name: redis, type: {}, config: {}, volumeMounts: [{ name: v, mountPath: /v }]'),
      ].join('\n---\n'),
    ),
    { components: [createGrafanaAgentComponent()], nowMs: 0 },
  );
  expect(findings.map(describeFinding)).toEqual([
    'Integration m/b: spec.name: agent runs once per agent, and Integration m/a has it already',
    'Integration m/f: spec.volumeMounts[0].name: it has no volume called "v"',
  ]);
  expect(configs['m/agent-integrations-deploy-config/agent.yml']).toContain('redis_configs:\n  - {}\n  - {}\n');
  expect(configs['m/agent-integrations-deploy-config/agent.yml']).not.toContain('second');
  expect(configs['m/agent-integrations-ds-config/agent.yml']).toContain('agent_configs:');
});

test('a dollar sign in a secret or a stray variable in a monitor stops nobody', () => {
  const { metrics, findings } = rendered({
    more: `${monitor('selector: {}, endpoints: [{ port: a, path: "/$(NOBODY)", basicAuth: { username: { name: odd, key: user } } }]')}
---
{ apiVersion: v1, kind: Secret, metadata: { name: odd, namespace: m }, stringData: { user: "a$(SHARD)$" } }`,
  });
  expect(findings).toEqual([]);
  expect(metrics).toContain('metrics_path: "/\\x24(NOBODY)"');
  expect(metrics).toContain('username: "a\\x24(SHARD)\\x24"');
  expect(metrics).toContain('regex: $(SHARD)');
});

test('objects without a spec stop nobody', () => {
  const bare = (kind: string): string =>
    `{ apiVersion: monitoring.grafana.com/v1alpha1, kind: ${kind}, metadata: { name: bare, namespace: m } }`;
  const more = ['GrafanaAgent', 'MetricsInstance', 'LogsInstance', 'PodLogs', 'Integration'].map(bare).join('\n---\n');
  const { findings, metrics } = rendered({ root: 'integrations: { selector: {} }', more });
  expect(findings).toEqual(['error PodLogs m/bare: spec: is missing', 'error Integration m/bare: spec: is missing']);
  expect(metrics).toContain('job_name: serviceMonitor/m/fine/0');
});
