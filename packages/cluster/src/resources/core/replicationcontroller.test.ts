import { expect, test } from 'vitest';
import { created, createIssues, row } from '../../testing/resources/judge.ts';
import { replicationcontrollerDefinition as definition } from './replicationcontroller.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'example/web:1' }] },
};

test('one replica, selected by the labels of the template, which are its own as well', () => {
  const object = created(definition, { spec: { template } });
  expect(object).toMatchObject({
    metadata: { labels: { app: 'web' } },
    spec: { replicas: 1, selector: { app: 'web' }, template: { spec: { restartPolicy: 'Always' } } },
    status: { replicas: 0 },
  });
});

test.each<[object, readonly string[]]>([
  [{ template }, []],
  [{ template, replicas: -1 }, ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  [{}, ['spec.selector: Required value', 'spec.template: Required value']],
  [
    { selector: { app: 'api' }, template },
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
  ],
  [
    { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    { template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 1 } } },
    [
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
    ],
  ],
])('%j', (spec, issues) => {
  expect(createIssues(definition, { spec })).toEqual(issues);
});

test('its scale says by which labels its pods are found', () => {
  const scale = definition.subresources.find(({ name }) => name === 'scale');
  const object = created(definition, { spec: { template, replicas: 3 } });
  expect(scale?.read?.(object)).toMatchObject({ spec: { replicas: 3 }, status: { replicas: 0, selector: 'app=web' } });
});

test('the table', () => {
  expect(
    row(definition, { spec: { replicas: 2, selector: { app: 'web' }, template }, status: { replicas: 1 } }),
  ).toEqual({
    Desired: 2,
    Current: 1,
    Ready: 0,
    Containers: 'web',
    Images: 'example/web:1',
    Selector: 'app=web',
  });
});
