import { expect, test } from 'vitest';
import { renderManifests } from '../../operator/render.ts';
import { objectsOf } from '../../testing/world.ts';
import { describeFinding } from '../../world/findings.ts';
import { createGrafanaAgentComponent } from './component.ts';

const agents = `
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: mine, namespace: m, labels: { team: a } }
spec: { logs: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: paused, namespace: m, labels: { team: a } }
spec: { paused: true, logs: { instanceSelector: {} } }
---
apiVersion: monitoring.grafana.com/v1alpha1
kind: GrafanaAgent
metadata: { name: other, namespace: m }
spec: {}
`;

const rendered = (agentSelector: string): ReturnType<typeof renderManifests> =>
  renderManifests(objectsOf(agents), { components: [createGrafanaAgentComponent({ agentSelector })], nowMs: 0 });

test.each([
  ['', ['mine', 'other', 'paused']],
  ['team=a', ['mine', 'paused']],
  ['team', ['mine', 'paused']],
  ['team notin (a)', ['other']],
])('the selector "%s" takes %j', (selector, expected) => {
  const made = rendered(selector).objects.map(({ metadata }) => (metadata.name ?? '').replace('-secrets', ''));
  expect(made.sort((a, b) => a.localeCompare(b))).toEqual(expected);
});

test('a selector that is none is refused at the start', () => {
  expect(() => createGrafanaAgentComponent({ agentSelector: 'a in' })).toThrow();
});

test('of a paused root it is said that nothing would change', () => {
  expect(rendered('').findings.map(describeFinding)).toEqual([
    'GrafanaAgent m/paused: spec.paused: is set: nothing would change until it is taken away',
  ]);
});
