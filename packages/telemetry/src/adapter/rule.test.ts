import { describe, expect, test } from 'vitest';
import { defaultRules } from './default-rules.ts';
import { parseRules } from './rule.ts';

const parse = (rules: string): unknown => parseRules(`rules:\n${rules.replace(/^/gm, '  ')}`, 'rules.yaml');

test('the rates of agents are there without anybody writing a rule', () => {
  expect(defaultRules.map(({ metric, from }) => [metric, from.is, from.is === 'page' ? from.windowMs : 0])).toEqual([
    ['prometheus_agent_samples_appended_total', 'page', 300_000],
    ['prometheus_tsdb_head_samples_appended_total', 'page', 300_000],
    ['prometheus_engine_query_samples_total', 'page', 300_000],
  ]);
});

test('a page: whose, where, which names, over what time', () => {
  const [rule] = parse(`- metric: m
  rate: [a_total, b_total]
  window: 90s
  pods: { selector: 'app in (x, y)', port: 9090, scheme: https, path: /m }`) as readonly [object];
  expect(rule).toMatchObject({
    metric: 'm',
    from: { is: 'page', names: ['a_total', 'b_total'], as: 'rate', windowMs: 90_000 },
  });
  expect(rule).toMatchObject({ from: { page: { port: '9090', scheme: 'https', path: '/m' } } });
});

test('a query: of objects by their labels, or of nothing', () => {
  expect(
    parse(`- { metric: q, query: 'sum by (namespace, pod) (x)', object: { resource: pods } }
- { metric: r, query: up, object: { resource: prometheuses.monitoring.coreos.com, namespaceLabel: ns } }
- { metric: s, query: z, object: { resource: nodes } }
- { metric: t, query: w, external: true }`),
  ).toEqual([
    {
      metric: 'q',
      from: {
        is: 'query',
        query: 'sum by (namespace, pod) (x)',
        object: { resource: 'pods', nameLabel: 'pod', namespaceLabel: 'namespace' },
      },
    },
    {
      metric: 'r',
      from: {
        is: 'query',
        query: 'up',
        object: { resource: 'prometheuses.monitoring.coreos.com', nameLabel: 'prometheus', namespaceLabel: 'ns' },
      },
    },
    {
      metric: 's',
      from: { is: 'query', query: 'z', object: { resource: 'nodes', nameLabel: 'node', namespaceLabel: undefined } },
    },
    { metric: 't', from: { is: 'query', query: 'w', object: undefined } },
  ]);
});

describe('what cannot be read is refused with where and how to mend it', () => {
  test.each([
    ['- { metric: "a b", rate: x, pods: { selector: a } }', 'rules[0].metric: "a b" is no name of a metric'],
    ['- { metric: m }', 'rules[0]: wanted one of rate, gauge and query, found none'],
    ['- { metric: m, rate: x, query: y }', 'rules[0]: wanted one of rate, gauge and query, found rate and query'],
    ['- { metric: m, rate: x }', 'rules[0].pods.selector: wanted a text, found nothing'],
    ['- { metric: m, rate: x, pods: { selector: "a in" } }', 'rules[0].pods.selector: '],
    [
      '- { metric: m, rate: x, window: 5, pods: { selector: a } }',
      'rules[0].window: wanted a duration from 1s to 1h, such as 5m, found 5',
    ],
    ['- { metric: m, rate: x, window: 2h, pods: { selector: a } }', 'rules[0].window: wanted a duration from 1s to 1h'],
    [
      '- { metric: m, rate: x, pods: { selector: a, path: metrics } }',
      'rules[0].pods.path: wanted a path that begins with "/"',
    ],
    [
      '- { metric: m, rate: x, pods: { selector: a, scheme: ftp } }',
      'rules[0].pods.scheme: wanted http or https, found "ftp"',
    ],
    ['- { metric: m, rate: x, pods: { selector: a }, external: true }', 'rules[0].external: what is read from a pod'],
    ['- { metric: m, query: x }', 'rules[0]: a query needs either object'],
    ['- { metric: m, query: x, external: true, object: { resource: pods } }', 'rules[0]: a query needs either object'],
    ['- { metric: m, query: x, external: true, window: 5m }', 'rules[0].window: has no effect on a query'],
    ['- { metric: m, rates: x }', 'rules[0].rates: unknown field; there are metric, rate, gauge'],
    ['- 5', 'rules[0]: wanted an object'],
  ])('%s', (rules, message) => {
    expect(() => parse(rules)).toThrow(`rules.yaml: ${message}`);
  });

  test('a text that is no YAML says where', () => {
    expect(() => parseRules('rules: [', 'rules.yaml')).toThrow(/rules\.yaml:\d+:\d+/);
    expect(() => parseRules('metrics: []', 'rules.yaml')).toThrow('rules.yaml.metrics: unknown field; there are rules');
    expect(() => parseRules('rules: 5', 'rules.yaml')).toThrow('rules.yaml: rules: wanted a list of rules');
  });
});
