import { expect, test } from 'vitest';
import { parseAuditPolicy } from './policy-text.ts';

const head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';
const read = (text: string): unknown => parseAuditPolicy(text, { source: 'p.yaml' });

test('a policy is read as it stands', () => {
  const text = `${head}metadata: {name: usual}
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  resources: [{group: "", resources: [secrets], resourceNames: [a]}]
  namespaces: [shop]
- level: Metadata
  nonResourceURLs: ["/livez*"]
`;
  expect(read(text)).toMatchObject({ omitStages: ['RequestReceived'], rules: [{ level: 'RequestResponse' }, {}] });
});

test.each([
  ['', 'there is no audit policy in it'],
  [`${head}rules: [{level: None}]\n---\n${head}`, 'there is more than one document in it'],
  ['apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n', 'it is no Policy of audit.k8s.io/v1'],
  [`${head}rules: []`, 'rules: there has to be one at least'],
  [`${head}rules: [{level: All}]`, 'rules[0].level: it must be one of None, Metadata, Request, RequestResponse'],
  [`${head}rules: [{level: None, user: [a]}]`, 'rules[0].user: there is no such field'],
  [`${head}rules: [{level: None, users: a}]`, 'rules[0].users: it must be a list of texts'],
  [
    `${head}rules: [{level: None, resources: [{group: apps/v1}]}]`,
    'rules[0].resources[0].group: it must be the name of',
  ],
  [`${head}rules: [{level: None, resources: [{resourceNames: [a]}]}]`, 'requires at least one resource'],
  [`${head}rules: [{level: None, namespaces: [a], nonResourceURLs: [/x]}]`, 'rules cannot apply to both'],
  [`${head}rules: [{level: None, nonResourceURLs: [x]}]`, 'rules[0].nonResourceURLs: "x" must begin with a /'],
  [`${head}rules: [{level: None, nonResourceURLs: ["/a*b"]}]`, 'in "/a*b" only the end may be a *'],
  [`${head}omitStages: [Started]\nrules: [{level: None}]`, 'omitStages: it must be a list of RequestReceived'],
  [`${head}rules: [{level: None, omitManagedFields: 1}]`, 'rules[0].omitManagedFields: it must be true or false'],
])('%j is refused', (text, message) => {
  expect(() => read(text)).toThrow(message);
});
