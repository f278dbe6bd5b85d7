/** The same questions about expressions to one API server, and what it said. */

import { sleep, systemClock } from '@signalbox/cluster';
import type { PlayedPolicy, PlayedRule } from './by-chance.ts';
import type { Said, Side } from './sides.ts';

/** Code, reason, what is wrong where, and warnings: without the order of what upstream goes over in no order. */
export interface Told {
  readonly code: number;
  readonly reason?: string;
  readonly issues: readonly string[];
  readonly warnings: readonly string[];
}

interface Status {
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

export function toldOf({ code, object, warnings }: Said): Told {
  if (code < 300) return { code, issues: [], warnings: [...warnings].sort() };
  const { reason = '', message = '', details } = object as Status;
  const causes = details?.causes?.map(({ field = '', message: words = '' }) => `${field}: ${words}`) ?? [message];
  return { code, reason, issues: causes.sort(), warnings: [...warnings].sort() };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = 'played.example.com';

function definition(name: string, spec: object): object {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    ...{
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${name}s.${group}` },
    },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural: `${name}s`, singular: name, kind: `Kind${name}` } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

const pathOf = (name: string): string => `/apis/${group}/v1/namespaces/played/${name}s`;

function object(name: string, { spec, more = {} }: { readonly spec: unknown; readonly more?: object }): object {
  return { apiVersion: `${group}/v1`, kind: `Kind${name}`, metadata: { name: 'x', ...more }, spec };
}

/** Creates `x`, or replaces it where it is there. */
async function put(side: Side, name: string, spec: unknown): Promise<Told> {
  const path = pathOf(name);
  const { code, object: current } = await side.ask('GET', `${path}/x`);
  if (code === 404) return toldOf(await side.ask('POST', path, object(name, { spec })));
  const { resourceVersion } = (current as { readonly metadata: { readonly resourceVersion: string } }).metadata;
  const more = { resourceVersion, labels: { changed: `at-${resourceVersion}` } };
  return toldOf(await side.ask('PUT', `${path}/x`, object(name, { spec, more })));
}

/** What is said of definitions, and of the objects of those that are taken. */
export async function playRules(side: Side, rules: readonly PlayedRule[]): Promise<readonly (readonly Told[])[]> {
  const told: Told[][] = [];
  for (const [index, { spec }] of rules.entries())
    told.push([toldOf(await side.ask('POST', definitions, definition(`rule${index}`, spec)))]);
  await side.hears(5_000);
  for (const [index, { values }] of rules.entries()) {
    if (told[index]?.[0]?.code !== 201) continue;
    for (const value of values) told[index]?.push(await put(side, `rule${index}`, value));
  }
  return told;
}

export interface PlayedChange {
  readonly spec: object;
  readonly old: unknown;
  readonly value: unknown;
}

/** What is said of changes of objects that were there before their schema was what it is. */
export async function playChanges(side: Side, changes: readonly PlayedChange[]): Promise<readonly Told[]> {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  for (const index of changes.keys()) await side.ask('POST', definitions, definition(`change${index}`, anything));
  await side.hears(5_000);
  for (const [index, { old }] of changes.entries()) await put(side, `change${index}`, old);
  for (const [index, { spec }] of changes.entries()) {
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec';
    await side.ask('PATCH', `${definitions}/change${index}s.${group}`, [{ op: 'replace', path, value: spec }]);
  }
  await side.hears(5_000);
  const told: Told[] = [];
  for (const [index, { value }] of changes.entries()) told.push(await put(side, `change${index}`, value));
  return told;
}

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

/** What is said of policies, and by those that are taken. */
export async function playPolicies(side: Side, played: readonly PlayedPolicy[]): Promise<readonly (readonly Told[])[]> {
  const told: Told[][] = [];
  for (const { spec, data } of played) {
    const metadata = { name: 'chance' };
    const first = toldOf(await side.ask('POST', policies, { metadata, spec }));
    const own: Told[] = [first];
    told.push(own);
    if (first.code !== 201) continue;
    await side.ask('POST', bindings, { metadata, spec: { policyName: 'chance', validationActions: ['Deny'] } });
    await side.hears(1_500);
    for (const [index, each] of data.entries()) {
      const map = { metadata: { name: `m${index}` }, data: each };
      own.push(toldOf(await side.ask('POST', '/api/v1/namespaces/played/configmaps?dryRun=All', map)));
    }
    await side.ask('DELETE', `${bindings}/chance`);
    await side.ask('DELETE', `${policies}/chance`);
    await side.hears(1_000);
  }
  return told;
}

/** What is said of one expression as a validation of a policy; undefined where it is taken. */
export async function playExpression(side: Side, expression: string): Promise<string | undefined> {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] };
  const spec = { matchConstraints: { resourceRules: [rule] }, validations: [{ expression, message: 'no' }] };
  const { issues } = toldOf(await side.ask('POST', `${policies}?dryRun=All`, { metadata: { name: 'x' }, spec }));
  const prefix = `spec.validations[0].expression: Invalid value: ${JSON.stringify(expression)}: `;
  return issues[0]?.replace(prefix, '');
}

/** The warnings in the status of policies, by the place of the expression. */
export async function playTypeChecks(side: Side, specs: readonly object[]): Promise<readonly (readonly object[])[]> {
  for (const [index, spec] of specs.entries())
    await side.ask('POST', policies, { metadata: { name: `check${index}` }, spec });
  const found: (readonly object[])[] = [];
  for (const index of specs.keys()) {
    const status = await statusOf(side, `check${index}`);
    // Upstream gives the type of every check a number of its own.
    found.push(
      (status.typeChecking?.expressionWarnings ?? []).map(({ fieldRef, warning }) => ({
        [fieldRef]: warning.replaceAll(/\b(Pod|CustomResourceDefinition)\d+/g, '$1'),
      })),
    );
  }
  return found;
}

interface CheckedStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: {
    readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
  };
}

async function statusOf(side: Side, name: string): Promise<CheckedStatus> {
  for (let look = 0; look < 100; look++) {
    const { object: policy } = await side.ask('GET', `${policies}/${name}`);
    const { status } = policy as { readonly status?: CheckedStatus };
    if (status?.observedGeneration !== undefined) return status;
    await sleep(systemClock, 100, { signal: new AbortController().signal });
  }
  throw new Error(`nobody has looked at ${name}`);
}
