import { expect, test } from 'vitest';
import { helmFile, manifestFile } from './documents.ts';
import { and, evaluate, item, not, or, releaseName, type Scope, text, toHelm, value } from './expression.ts';
import { grouped } from './rules.ts';
import { each, given, joined, type Template, when } from './template.ts';

const scope = (Values: Scope['Values']): Scope => ({
  Values,
  Release: { Name: 'mine', Namespace: 'here' },
  Chart: { AppVersion: '1.2.3' },
});

test.each([
  [value('a.b'), '$.Values.a.b', 7],
  [or(value('none'), value('a.b')), 'or $.Values.none $.Values.a.b', 7],
  [or(value('none'), value('gone')), 'or $.Values.none $.Values.gone', undefined],
  [and(value('a.b'), releaseName), 'and $.Values.a.b $.Release.Name', 'mine'],
  [and(value('none'), releaseName), 'and $.Values.none $.Release.Name', ''],
  [not(or(value('none'), value('off'))), 'not (or $.Values.none $.Values.off)', true],
  [
    text`${releaseName}-100%: ${or(value('none'), value('a.b'))}`,
    'printf "%v-100%%: %v" $.Release.Name (or $.Values.none $.Values.a.b)',
    'mine-100%: 7',
  ],
])('%j means the same here and for Helm', (expression, written, comes) => {
  expect(toHelm(expression)).toBe(written);
  expect(evaluate(expression, scope({ a: { b: 7 }, none: '', off: false }))).toEqual(comes);
});

const object: Template = when(value('on'), {
  kind: 'Thing',
  name: text`${releaseName}-thing`,
  tag: '1.10',
  labels: when(value('labels'), value('labels')),
  args: ['--plain', each(value('names'), 'name', text`--name=${item('name')}`), when(value('more'), 'yes')],
});

test('an object is written for Helm with its conditions at the margin', () => {
  expect(helmFile([{ why: 'A thing.', object }])).toBe(`{{- if $.Values.on }}
---
# A thing.
kind: Thing
name: {{ toJson (printf "%v-thing" $.Release.Name) }}
tag: "1.10"
{{- if $.Values.labels }}
labels: {{ toJson $.Values.labels }}
{{- end }}
args:
  - "--plain"
{{- range $name := $.Values.names }}
  - {{ toJson (printf "--name=%v" $name) }}
{{- end }}
{{- if $.Values.more }}
  - "yes"
{{- end }}
{{- end }}
`);
});

test('and worked out where the values are known', () => {
  const values = { on: true, labels: {}, names: ['a', 'b'], more: 1 };
  expect(manifestFile([{ why: 'A thing.', object }], scope(values))).toBe(`---
# A thing.
kind: Thing
name: mine-thing
tag: "1.10"
args:
  - "--plain"
  - "--name=a"
  - "--name=b"
  - "yes"
`);
  expect(manifestFile([{ why: 'A thing.', object }], scope({ ...values, on: false }))).toBe('\n');
});

const pods: Template = {
  labels: joined({ app: releaseName }, value('labels')),
  affinity: given(value('affinity'), { usual: [1] }),
  spread: [each(value('spread'), 'one', joined({ of: { app: 'a' } }, item('one')))],
};

test('what is given besides stands beside what is ours, and what is given instead in its place', () => {
  expect(helmFile([{ why: '', object: pods }])).toBe(`---
labels:
  app: {{ toJson $.Release.Name }}
{{- range $key, $value := $.Values.labels }}
  {{ toJson $key }}: {{ toJson $value }}
{{- end }}
{{- if $.Values.affinity }}
affinity: {{ toJson $.Values.affinity }}
{{- else }}
affinity:
  usual:
    - 1
{{- end }}
spread:
{{- range $one := $.Values.spread }}
  - of:
      app: a
{{- range $key, $value := $one }}
    {{ toJson $key }}: {{ toJson $value }}
{{- end }}
{{- end }}
`);
  const told = (values: Scope['Values']): string => manifestFile([{ why: '', object: pods }], scope(values));
  expect(told({ labels: {}, affinity: {}, spread: [] })).toBe(
    '---\nlabels:\n  app: mine\naffinity:\n  usual:\n    - 1\nspread: []\n',
  );
  expect(told({ labels: { team: 'a' }, affinity: { own: {} }, spread: [{ zone: 1 }] })).toBe(
    '---\nlabels:\n  app: mine\n  team: a\naffinity:\n  own: {}\nspread:\n  - of:\n      app: a\n    zone: 1\n',
  );
});

test('what is allowed alike stands in one rule, and a kind in as few as can be', () => {
  const rules = [
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['list', 'delete'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['delete'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['one'] },
  ];
  expect(grouped(rules)).toEqual([
    { apiGroups: ['apps'], resources: ['deployments', 'daemonsets'], verbs: ['list', 'delete'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['one'] },
  ]);
});
