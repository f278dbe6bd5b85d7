import { describe, expect, test } from 'vitest';
import { checkSchema } from './check.ts';
import { schemaOf } from './node.ts';

const filled = (definition: string, object: object): unknown =>
  checkSchema(object, schemaOf(`io.k8s.api.${definition}`), { unknownFields: 'prune' }).object;

describe('a required field that nobody gave has what a Go struct has in it', () => {
  test.each<[string, string, object, object]>([
    ['texts are empty', 'core.v1.EnvVar', {}, { name: '' }],
    ['numbers are 0', 'core.v1.ServicePort', { name: 'web' }, { name: 'web', port: 0 }],
    ['so are ports by number or name', 'core.v1.TCPSocketAction', {}, { port: 0 }],
    ['an explicit null is absent', 'core.v1.EnvVar', { name: null }, { name: '' }],
    ['structs are filled in turn', 'core.v1.Binding', {}, { target: {}, metadata: undefined }],
    ['a selector may be absent', 'apps.v1.DaemonSetSpec', {}, { template: { spec: {} } }],
    ['lists, maps and times stay away', 'policy.v1.PodDisruptionBudgetStatus', {}, budgetStatus()],
    ['spec is a struct of every kind', 'policy.v1.PodDisruptionBudget', {}, { spec: {} }],
    ['entries of a list that are null, too', 'core.v1.PodSpec', { containers: [null] }, { containers: [{ name: '' }] }],
  ])('%s', (_, definition, object, expected) => expect(filled(definition, object)).toEqual(expected));

  test('what is there stays, and an object that lacks nothing is the same one', () => {
    const port = { port: 80 };
    expect(filled('core.v1.ServicePort', port)).toBe(port);
  });

  test('an optional list that is empty goes, but not where any JSON may stand', () => {
    expect(filled('core.v1.PodSpec', { containers: [], volumes: [] })).toEqual({ containers: [] });
    expect(filled('apps.v1.ControllerRevision', { revision: 1, data: [] })).toMatchObject({ data: [] });
  });

  test('a part of an object lacks nothing', () => {
    const schema = schemaOf('io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec');
    expect(checkSchema({}, schema, { unknownFields: 'prune', isPart: true }).object).toEqual({});
  });
});

function budgetStatus(): object {
  return { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };
}
