/** What both do, and show in another way. */
import { isDeepStrictEqual } from 'node:util';
import { type KnownClass, messageOf, part, whole } from './class.ts';

const generation =
  'A generation that somebody sends for a kind that counts none is kept, and CSIDrivers count theirs from the first change on';
const noChange = 'An update that changes nothing is warned about as any other';
const roles = 'The roles and bindings that a cluster has from the start are those of its components';

const unavailable = '`maxUnavailable` of a StatefulSet is ignored unless an alpha feature is on';
const anything = (): boolean => true;

/** Events that say what the one before says are not counted. */
function isAlikeButRepeats(there: unknown, here: unknown): boolean {
  const said = (events: unknown): readonly unknown[] =>
    (Array.isArray(events) ? (events as readonly { readonly object?: unknown }[]) : [])
      .map(({ object }) => object)
      .filter((object, index, all) => !isDeepStrictEqual(object, all[index - 1]));
  return isDeepStrictEqual(said(there), said(here));
}

export const shownClasses: readonly KnownClass[] = [
  {
    row: 'Warnings of one answer are told in the order of its code',
    covers: ({ path, there = '""', here = '""' }) =>
      path === 'warnings' && there !== here && isSameSet(warningsIn(there), warningsIn(here)),
  },
  {
    row: 'Kinds that nothing acts on are kept without a word',
    covers: ({ path, there = '""', here = '""' }) => {
      const [theirs, ours] = [warningsIn(there), warningsIn(here)];
      const added = ours.filter((text) => !theirs.includes(text));
      return (
        path === 'warnings' &&
        added.length > 0 &&
        added.every((text) => /simulated pods have no traffic|no controller of this cluster runs/.test(text)) &&
        theirs.every((text) => ours.includes(text))
      );
    },
  },
  {
    row: 'Paths in one volume that lie over each other are warned of',
    covers: ({ path, there = '""', here = '""' }) =>
      path === 'warnings' &&
      warningsIn(here).every((text) => warningsIn(there).includes(text)) &&
      warningsIn(there).every((text) => warningsIn(here).includes(text) || /overlapping paths: /.test(text)),
  },
  {
    row: 'Whoever reads or deletes Endpoints is warned that there are EndpointSlices',
    covers: ({ path, there = '""', here = '""' }, { called }) => {
      const [theirs, ours] = [warningsIn(there), warningsIn(here)];
      const missing = theirs.filter((text) => !ours.includes(text));
      return (
        path === 'warnings' &&
        called.startsWith('Endpoints ') &&
        missing.length === 1 &&
        /v1 Endpoints is deprecated/.test(missing[0] ?? '') &&
        ours.every((text) => theirs.includes(text))
      );
    },
  },
  part({
    row: 'Reading an autoscaler as `autoscaling/v1` puts what that version cannot say into annotations, in a form of its own',
    ...{ called: /^HorizontalPodAutoscaler /, at: /metadata\.annotations\.autoscaling\.alpha\.kubernetes\.io\// },
    there: /targetAverage/,
    here: /\\"target\\":\{/,
  }),
  part({
    row: 'Reading an autoscaler as `autoscaling/v1` puts what that version cannot say into annotations, in a form of its own',
    ...{
      called: /^HorizontalPodAutoscaler /,
      at: /metadata\.annotations\.autoscaling\.alpha\.kubernetes\.io\/behavior$/,
    },
    there: /\\"ScaleUp\\":/,
    here: /\\"scaleUp\\":|\\"scaleDown\\":/,
  }),
  part({
    row: 'Reading an autoscaler as `autoscaling/v1` puts what that version cannot say into annotations, in a form of its own',
    called: /^HorizontalPodAutoscaler /,
    at: /metadata\.annotations\.autoscaling\.alpha\.kubernetes\.io\/conditions$/,
    ...{ there: /^"\[.*\\"lastTransitionTime\\":/, here: /^"\[.*\\"type\\":/ },
  }),
  {
    row: roles,
    covers: ({ path }, { called, there, here }) =>
      called === 'SelfSubjectRulesReview create' &&
      /^body\.status\.(?:nonResourceRules|resourceRules)\b/.test(path) &&
      there.code === 201 &&
      here.code === 201 &&
      isSameSet(rulesOf(there.body), rulesOf(here.body)),
  },
  part({
    row: 'Where a selector of a review cannot be read, its status says so',
    ...{ called: /AccessReview create$/, at: /^body\.status\.evaluationError$/ },
    there: /./,
    here: 'nothing',
  }),
  {
    row: 'A list of roles that are not there has no order',
    covers: ({ path, there = '', here = '' }, { called }) =>
      called.endsWith('AccessReview create') &&
      path === 'body.status.reason' &&
      isSameSet(missingRoles(there), missingRoles(here)),
  },
  part({
    ...{ row: noChange, at: /^warnings$/, codes: [200, 200] },
    ...{ called: /(?:update|merge|strategic|json|apply|status|door)$/ },
    there: /299/,
    here: /^""$/,
  }),
  {
    row: 'What a refusal was read with is warned of as well',
    covers: ({ path, there = '', here }, parted) =>
      path === 'warnings' &&
      parted.there.code >= 400 &&
      parted.here.code >= 400 &&
      here === '""' &&
      /unknown field|duplicate field|already set in map/.test(there),
  },
  part({
    row: 'An apply that makes an object keeps a `deletionTimestamp` and a grace period that it names: the object is on its way out from the start',
    at: /\.metadata\.deletion(?:Timestamp|GracePeriodSeconds)$/,
    there: /^["\d]/,
    here: 'nothing',
  }),
  part({
    row: 'A binding of a policy that selects its parameters shows the selector in the column `ParamRef`, as a Go structure; IPAddresses show no age',
    ...{ called: /^IPAddress /, at: /^body\.columnDefinitions\[2\]$/, codes: [200, 200] },
    there: 'nothing',
    here: /^\{"name":"Age"/,
  }),
  part({
    row: 'Empty lists and maps that are sent for a NetworkPolicy count as a change, and are not kept',
    ...{ called: /^NetworkPolicy /, body: /":(?:\[\]|\{\})/, at: /\.generation$/ },
    ...{ there: /^\d+$/, here: /^\d+$/ },
  }),
  {
    row: 'A partial object or a row of a DaemonSet that was applied lacks the annotation `deprecated.daemonset.template.generation`',
    covers: ({ path, there, here = '' }, { called, here: { body } }) =>
      called.startsWith('DaemonSet ') &&
      path.endsWith('metadata.annotations') &&
      there === undefined &&
      /^\{"deprecated\.daemonset\.template\.generation":"\d+"\}$/.test(here) &&
      /"kind":"(?:PartialObjectMetadata|Table)/.test(JSON.stringify(body)),
  },
  {
    row: 'The addresses of a new Service may be told not to be taken, by an event',
    covers: (_, { called, there }) =>
      called === 'Event watch' && /ClusterIPNotAllocated/.test(JSON.stringify(there.body)),
  },
  part({ ...{ row: generation, at: /metadata\.generation$/ }, there: /^\d+$/, here: 'nothing' }),
  part({
    row: 'Reading an autoscaler as `autoscaling/v1` puts what that version cannot say into annotations, in a form of its own',
    ...{ called: /^HorizontalPodAutoscaler /, at: /(?:metadata|f:metadata)\.(?:f:)?annotations$/ },
    there: /"(?:f:)?autoscaling\.alpha\.kubernetes\.io\/current-metrics":/,
    here: 'nothing',
  }),
  part({
    row: 'Reading an autoscaler as `autoscaling/v1` puts what that version cannot say into annotations, in a form of its own',
    ...{ called: /^HorizontalPodAutoscaler /, at: /metadata\.annotations$/ },
    there: 'nothing',
    // Of two that are alike one is enough there.
    here: /^\{"autoscaling\.alpha\.kubernetes\.io\/metrics":"\[\{\\"type\\":\\"Resource\\",\\"resource\\":\{\\"name\\":\\"cpu\\",\\"target\\":\{\\"type\\":\\"Utilization\\",\\"averageUtilization\\":\d+\}\}\}\]"\}$/,
  }),
  whole({
    row: 'ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass',
    called: /^(?:DeviceClass|Resource)/,
    there: { code: 422, says: /cel\.expression/ },
    here: { code: [200, 201] },
  }),
  part({
    ...{ row: unavailable, called: /^StatefulSet /, at: /rollingUpdate\.(?:f:)?maxUnavailable$/ },
    there: 'nothing',
    here: anything,
  }),
  part({
    ...{ row: unavailable, called: /^StatefulSet /, at: /f:rollingUpdate\.f:maxUnavailable$/ },
    there: anything,
    here: 'nothing',
  }),
  part({
    ...{
      row: unavailable,
      called: /^StatefulSet /,
      at: /metadata\.generation$/,
      body: /"maxUnavailable":|\/maxUnavailable"/,
    },
    ...{ there: /^\d+$/, here: /^\d+$/ },
  }),
  {
    row: 'A Job whose labels somebody takes away has them again, with a new time for whoever tried',
    covers: (_, { called, there, here }) => called === 'Job watch' && isAlikeButRepeats(there.body, here.body),
  },
  part({
    row: 'A new CustomResourceDefinition is served some time after it is accepted',
    ...{
      called: /^CustomResourceDefinition (?:create|update|apply|watch)$/,
      at: /^body(?:\[\d+\]\.object)?\.status(?:$|\.)/,
    },
    there: /^(?:null|""|\[\]|\{.*"conditions":null.*\})$/,
    here: () => true,
  }),
  part({
    row: 'A new CustomResourceDefinition is served some time after it is accepted',
    ...{
      called: /^CustomResourceDefinition (?:create|update|apply|watch)$/,
      at: /^body(?:\[\d+\]\.object)?\.status(?:$|\.)/,
    },
    there: 'nothing',
    here: () => true,
  }),
  {
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    covers: ({ path, there, here }) =>
      path.startsWith('body') && !path.includes('managedFields') && isEmpty(there) && isEmpty(here),
  },
  part({
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    ...{
      called: /WebhookConfiguration /,
      body: /"webhooks":\[\]|"path":"\/webhooks","value":\[\]/,
      at: /^body\.metadata\.generation$/,
    },
    ...{ there: /^\d+$/, here: /^\d+$/ },
  }),
  {
    row: 'A bookmark has the fields that its kind always shows, empty',
    covers: ({ path, here }, { called, there }) =>
      called.endsWith(' watch') && here === undefined && isBookmark(there.body, path),
  },
  part({
    ...{ row: "Columns are described in upstream's words", at: /columnDefinitions\[\d+\]\.description$/ },
    there: /^"/,
    here: /^"/,
  }),
  part({
    ...{ row: 'The Status of a deletion has no code', called: / delete$/, at: /^body\.code$/ },
    there: 'nothing',
    here: /^200$/,
  }),
  {
    row: 'A change of nothing is told to a watch of claims now and then',
    covers: (_, { called, there, here }) =>
      called === 'PersistentVolumeClaim watch' && isToldTwice(there.body, here.body),
  },
  {
    row: 'A pod that is deleted is marked first, and removed then, also where that is at once',
    covers: (_, { called, there, here }) =>
      called === 'Pod watch' && there.code < 300 && here.code < 300 && isEndToldInMoreSteps(there.body, here.body),
  },
  {
    row: 'A refused pod update ends with a dump of Go structures',
    covers: ({ path }, { there, here }) =>
      there.code === 422 &&
      here.code === 422 &&
      /^body\.(?:message|details)/.test(path) &&
      /updates may not change fields|spec is immutable after creation/.test(messageOf(there)) &&
      withoutDump(messageOf(there)) === withoutDump(messageOf(here)),
  },
];

/** Of a header, as JSON. */
function warningsIn(json: string): readonly string[] {
  const text = JSON.parse(json) as unknown;
  return typeof text !== 'string' || text === '' ? [] : text.split(/, (?=299 - )/);
}

/** Each rule for itself. */
function rulesOf(body: unknown): readonly string[] {
  type Rules = Readonly<Record<'resourceRules' | 'nonResourceRules', readonly unknown[] | undefined>>;
  const { resourceRules = [], nonResourceRules = [] } = (body as { readonly status: Rules }).status;
  return [...resourceRules, ...nonResourceRules].map((rule) => {
    const parts = Object.entries(rule as Readonly<Record<string, readonly string[]>>).sort(([x], [y]) =>
      x < y ? -1 : 1,
    );
    return JSON.stringify(parts.map(([name, values]) => [name, [...values].sort()]));
  });
}

function missingRoles(reason: string): readonly string[] {
  return [...reason.matchAll(/role\.rbac\.authorization\.k8s\.io \\"[^"]*\\" not found/g)].map(([text]) => text);
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length > 1 && [...some].sort().join() === [...others].sort().join();
}

/** Nothing, or what says nothing. */
function isEmpty(json: string | undefined): boolean {
  if (json === undefined) return true;
  const holds = (value: unknown): boolean => {
    if (value === null || value === '' || value === false || value === 0) return false;
    return typeof value !== 'object' || Object.values(value as object).some(holds);
  };
  return !holds(JSON.parse(json));
}

function isBookmark(body: unknown, path: string): boolean {
  const index = /^body\[(\d+)\]/.exec(path)?.[1];
  const event = Array.isArray(body) ? (body[Number(index)] as { readonly type?: string } | undefined) : undefined;
  return event?.type === 'BOOKMARK';
}

/** The events but for those that only mark what ends are as many. */
function isEndToldInMoreSteps(there: unknown, here: unknown): boolean {
  if (!Array.isArray(there) || !Array.isArray(here)) return false;
  const kept = (events: readonly unknown[]): readonly string[] =>
    (events as readonly { readonly type: string; readonly object: { readonly metadata?: object } }[])
      .filter(({ type, object }) => type !== 'MODIFIED' || !('deletionTimestamp' in (object.metadata ?? {})))
      .map(({ type }) => type);
  return kept(there).join() === kept(here).join();
}

/** Each of upstream's events that only repeats the one before is told by nobody else. */
function isToldTwice(there: unknown, here: unknown): boolean {
  if (!Array.isArray(there) || !Array.isArray(here)) return false;
  const events = there as readonly { readonly type: string; readonly object: unknown }[];
  const objectAt = (index: number): string => JSON.stringify(events[index]?.object);
  const kept = events.filter(({ type }, index) => type !== 'MODIFIED' || objectAt(index) !== objectAt(index - 1));
  const types = (of: readonly { readonly type: string }[]): string => of.map(({ type }) => type).join();
  return kept.length < events.length && types(kept) === types(here as typeof events);
}

function withoutDump(message: string): string {
  return message.replace(/\n(?:.|\n)*?(?=, spec|\]$|$)/g, '');
}
