import { expect, test } from 'vitest';
import { parseYaml, toYaml } from '../scrape/yaml.ts';
import { maskedJobs } from './masked-jobs.ts';

const jobs = `
- job_name: nodes
  scrape_interval: 30s
  metrics_path: /federate?token=hunter2
  scheme: https
  params: { token: [hunter2] }
  basic_auth: { username: alice-the-admin, password: hunter2 }
  authorization: { credentials: hunter2 }
  http_headers: { X-Key: { secrets: [hunter2] } }
  tls_config: { key: hunter2 }
  proxy_url: http://alice:hunter2@proxy
  invented_tomorrow: hunter2
  static_configs:
  - targets: [10.0.0.1:9100, "alice:hunter2@10.0.0.2:9100"]
    labels: { zone: a, __param_token: hunter2 }
  kubernetes_sd_configs:
  - role: pod
    namespaces: { names: [shop] }
    basic_auth: { password: hunter2 }
  consul_sd_configs:
  - server: consul:8500
    token: hunter2
  relabel_configs:
  - source_labels: [zone]
    regex: a|b
    action: keep
  - target_label: __param_token
    replacement: hunter2
`;

test('what holds no secret is shown, and everything else is hidden', () => {
  const shown = toYaml(maskedJobs(parseYaml(jobs), '<hidden>'));
  expect(shown).not.toMatch(/hunter2|alice/);
  expect(shown).toBe(`- job_name: nodes
  scrape_interval: 30s
  metrics_path: <hidden>
  scheme: https
  params:
    token:
    - <hidden>
  basic_auth:
    username: <hidden>
    password: <hidden>
  authorization:
    credentials: <hidden>
  http_headers:
    X-Key:
      secrets:
      - <hidden>
  tls_config:
    key: <hidden>
  proxy_url: <hidden>
  invented_tomorrow: <hidden>
  static_configs:
  - targets:
    - 10.0.0.1:9100
    - <hidden>
    labels:
      zone: a
      __param_token: <hidden>
  kubernetes_sd_configs:
  - role: pod
    namespaces:
      names:
      - shop
    basic_auth:
      password: <hidden>
  consul_sd_configs:
  - server: <hidden>
    token: <hidden>
  relabel_configs:
  - source_labels:
    - zone
    regex: a|b
    action: keep
  - target_label: __param_token
    replacement: <hidden>
`);
});

test.each([
  ['hunter2'],
  ['[hunter2]'],
  ['[{ password: hunter2 }]'],
  ['{ job_name: hunter2 }'],
  ['[{ job_name: [hunter2] }]'],
])('%s is no list of jobs', (text) => expect(maskedJobs(parseYaml(text), '<hidden>')).toBeUndefined());

test.each([
  ['static_configs: hunter2'],
  ['static_configs: [hunter2]'],
  ['static_configs: [{ targets: { a: hunter2 } }]'],
  ['scheme: [hunter2]'],
  ['relabel_configs: hunter2'],
  ['relabel_configs: [hunter2]'],
  ['kubernetes_sd_configs: [{ namespaces: hunter2 }]'],
])('%s is of another shape than agents take, and hidden', (field) => {
  const shown = toYaml(maskedJobs(parseYaml(`[{ job_name: a, ${field} }]`), '<hidden>'));
  expect(shown).not.toContain('hunter2');
});
