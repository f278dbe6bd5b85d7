/** Rules of custom resources and admission policies, as kubectl sees what comes of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Kubectl, type ServedCluster, startServedCluster, until, withoutKubectl } from './served-cluster.ts';

const without = withoutKubectl();
let served: ServedCluster;
let kubectl: Kubectl;

beforeAll(async () => {
  if (without) return;
  served = await startServedCluster({ nodes: 1 });
  ({ kubectl } = served);
  await kubectl('create namespace shop');
});

afterAll(() => served?.close());

async function applied(name: string, ...objects: readonly object[]): Promise<void> {
  const file = served.write(`${name}.json`, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  expect(await kubectl.run(`apply -f ${file}`)).toMatchObject({ code: 0 });
}

const group = 'admissionregistration.k8s.io';
const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] };
const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: { judged: 'yes' } } };

function configMap(name: string, data: object): string {
  const metadata = { name, namespace: 'shop', labels: { judged: 'yes' } };
  return served.write(`${name}.json`, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
}

describe.skipIf(without)('rules of custom resources', () => {
  test('are judged when they are written, and refuse what breaks them', async () => {
    const definition = (expression: string): object => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'scales.example.com' },
      spec: {
        ...{ group: 'example.com', scope: 'Namespaced', names: { plural: 'scales', kind: 'Scale', singular: 'scale' } },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: { least: { type: 'integer' }, most: { type: 'integer' } },
                    'x-kubernetes-validations': [{ rule: expression, message: 'the least is above the most' }],
                  },
                },
              },
            },
          },
        ],
      },
    });
    const bad = served.write('bad.json', JSON.stringify(definition('self.least <= self.top')));
    const refused = await kubectl.run(`apply -f ${bad}`);
    expect(refused.err).toContain("compilation failed: ERROR: <input>:1:19: undefined field 'top'");
    await applied('good', definition('self.least <= self.most'));
    const scale = (least: number): string =>
      served.write(
        `scale-${least}.json`,
        JSON.stringify({
          ...{ apiVersion: 'example.com/v1', kind: 'Scale', metadata: { name: 'a', namespace: 'shop' } },
          spec: { least, most: 5 },
        }),
      );
    await until(
      () => kubectl.run(`apply -f ${scale(1)}`),
      ({ code }) => code === 0,
    );
    expect((await kubectl.run(`apply -f ${scale(7)}`)).err).toContain(
      'The Scale "a" is invalid: spec: Invalid value: "object": the least is above the most',
    );
  });
});

describe.skipIf(without)('a validating policy', () => {
  test('refuses or warns, by parameters', async () => {
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits', namespace: 'shop' } };
    await applied(
      'validating',
      { ...settings, data: { most: '3' } },
      {
        ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'small' } },
        spec: {
          ...{ matchConstraints, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
          validations: [
            {
              expression: 'size(object.data) <= int(params.data.most)',
              messageExpression: "'no more than ' + params.data.most + ' entries'",
            },
          ],
        },
      },
      {
        ...{ apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'small' } },
        spec: {
          ...{ policyName: 'small', validationActions: ['Deny'] },
          paramRef: { name: 'limits', namespace: 'shop', parameterNotFoundAction: 'Deny' },
        },
      },
    );
    const many = configMap('many', { a: '', b: '', c: '', d: '' });
    expect((await kubectl.run(`apply -f ${many}`)).err).toContain(
      "The configmaps \"many\" is invalid: : ValidatingAdmissionPolicy 'small' with binding 'small' denied request: no more than 3 entries",
    );
    await kubectl(
      `patch validatingadmissionpolicybinding small --type=merge -p '{"spec":{"validationActions":["Warn"]}}'`,
    );
    const warned = await kubectl.run(`apply -f ${many}`);
    expect(warned).toMatchObject({ code: 0 });
    expect(warned.err).toContain(
      "Warning: Validation failed for ValidatingAdmissionPolicy 'small' with binding 'small': no more than 3 entries",
    );
    expect(await kubectl('get validatingadmissionpolicies')).toMatch(
      /NAME +VALIDATIONS +PARAMKIND +AGE\nsmall +1 +v1\/ConfigMap/,
    );
  });
});

describe.skipIf(without)('a mutating policy', () => {
  test('changes what it is bound to, in both versions of its kind', async () => {
    const expression = "Object{data: {'by': 'a policy'}}";
    await applied(
      'mutating',
      {
        ...{ apiVersion: `${group}/v1beta1`, kind: 'MutatingAdmissionPolicy', metadata: { name: 'marks' } },
        spec: {
          ...{ matchConstraints, reinvocationPolicy: 'Never' },
          mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
        },
      },
      {
        ...{ apiVersion: `${group}/v1alpha1`, kind: 'MutatingAdmissionPolicyBinding', metadata: { name: 'marks' } },
        spec: { policyName: 'marks' },
      },
    );
    await kubectl(`apply -f ${configMap('marked', { a: '' })}`);
    expect(await kubectl('-n shop get configmap marked -o jsonpath={.data}')).toBe('{"a":"","by":"a policy"}');
    expect(await kubectl('get mutatingadmissionpolicies,mutatingadmissionpolicybindings')).toMatch(
      /NAME +MUTATIONS +PARAMKIND +AGE\n\S+\/marks +1 +<unset>[\s\S]+NAME +POLICYNAME +PARAMREF +AGE\n\S+\/marks +marks +<unset>/,
    );
  });
});
