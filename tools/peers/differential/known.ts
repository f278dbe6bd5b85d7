/** Where answers are known to differ, and why: each class is a row of docs/differences.md. Pure. */
import { type Difference, formatDifference } from '../compare/differences.ts';
import type { Said } from './answers.ts';
import type { Parted } from './play.ts';

export interface KnownClass {
  /** The first cell of its row in docs/differences.md, which gives the reason. */
  readonly row: string;
  covers(difference: Difference, parted: Parted): boolean;
}

/** Names of fields that upstream drops while their features are off. */
const gated =
  /non-init containers|fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride|preferredHolder|"strategy":"|nodeAllocatableUpdatePeriodSeconds|bindingConditions|bindingFailureConditions|podCertificate|consumesCounters|allowMultipleAllocations/;

const isOf = (parted: Parted, ...deeds: readonly string[]): boolean =>
  deeds.some((deed) => parted.called.endsWith(` ${deed}`));
const bothTook = ({ there, here }: Parted): boolean => there.code < 300 && here.code < 300;
const bothRefused = ({ there, here }: Parted): boolean => there.code >= 400 && here.code >= 400;

const notAWord = /json parse error|needs a body|must be an object|error decoding patch|yaml parse error/;
const notRead =
  /couldn't get version\/kind|error decoding patch|cannot unmarshal|unexpected end of JSON|invalid character|Object 'Kind' is missing/;

export const knownClasses: readonly KnownClass[] = [
  {
    row: 'Why a body is no JSON is told in the words of Go, with the place where it broke or the bytes in hexadecimal',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      there.code === 400 &&
      here.code === 400 &&
      notRead.test(messageOf(there)) &&
      notAWord.test(messageOf(here)),
  },
  {
    row: 'A body that cannot be read is told of after the object was looked for',
    covers: (_, { there, here }) => there.code === 404 && here.code === 400 && notAWord.test(messageOf(here)),
  },
  {
    row: 'Of a kind that is none, or one of a version that is none, a refusal names the source file of its registry',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      there.code === here.code &&
      /: no kind ".*" is registered for version /.test(messageOf(there)),
  },
  {
    row: 'Whoever shows a certificate has its fingerprint among the `extra` of who they are',
    covers: ({ path }, { there }) =>
      /^body(?:\[\d+\]\.object)?\.(?:status\.userInfo|(?:items\[\d+\]\.)?spec)\.extra$/.test(path) &&
      JSON.stringify(there.body).includes('credential-id'),
  },
  {
    row: 'Whoever reads or deletes Endpoints is warned that there are EndpointSlices',
    covers: ({ path, there = '' }, { called }) =>
      path === 'warnings' && called.startsWith('Endpoints ') && there.includes('v1 Endpoints is deprecated'),
  },
  {
    row: 'A port for health checks of a Service that is taken, or out of the range, is a 500',
    covers: (_, { there, here }) =>
      there.code === 500 && here.code === 422 && messageOf(there).includes('requested HealthCheck NodePort'),
  },
  {
    row: 'A get, a watch, or a write of a version that is no number is a 500',
    covers: (_, { there }) => there.code === 500 && messageOf(there).includes('strconv.ParseUint'),
  },
  {
    row: 'A new object with a resourceVersion is a 500',
    covers: (_, { there, here }) =>
      here.code === 400 &&
      messageOf(here).startsWith('resourceVersion should not be set on objects to be created') &&
      (there.code === 500 || there.code === 422),
  },
  {
    row: 'The roles and bindings that a cluster has from the start are those of its components',
    covers: ({ path }, { called }) => called === 'SelfSubjectRulesReview create' && path.startsWith('body.status.'),
  },
  {
    row: 'Where a selector of a review cannot be read, its status says so',
    covers: ({ path, here }, { called }) =>
      /AccessReview create$/.test(called) && path === 'body.status.evaluationError' && here === undefined,
  },
  {
    row: 'Selectors of a review are judged before it is answered',
    covers: (_, { called, there, here }) =>
      /AccessReview create$/.test(called) &&
      there.code === 422 &&
      here.code === 201 &&
      /(?:label|field)Selector\./.test(messageOf(there)),
  },
  {
    row: 'A refusal of the columns of a definition of one version names them where older definitions had them',
    covers: ({ path }, parted) =>
      parted.called.startsWith('CustomResourceDefinition ') &&
      isRefusal(path, parted) &&
      messageOf(parted.there).includes('spec.additionalPrinterColumns['),
  },
  {
    row: 'An update that changes nothing is warned about as any other',
    covers: ({ path, here }, { asked, there, here: answered }) =>
      path === 'warnings' && here === '""' && asked.method !== 'POST' && there.code === 200 && answered.code === 200,
  },
  {
    row: 'What a refusal was read with is warned of as well',
    covers: ({ path, there = '', here }, parted) =>
      path === 'warnings' && bothRefused(parted) && here === '""' && /unknown field|duplicate field/.test(there),
  },
  {
    row: 'A refusal because of another uid names the key of the store',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      there.code === 409 &&
      here.code === 409 &&
      messageOf(there).includes('StorageError: invalid object, Code: 4'),
  },
  {
    row: 'A list at version 0 ignores its limit',
    covers: ({ path }, { asked }) =>
      asked.method === 'GET' &&
      asked.path.includes('resourceVersion=0&limit=') &&
      /^body\.(?:metadata\.(?:continue|remainingItemCount)|(?:items|rows)\[)/.test(path),
  },
  {
    row: '`application/*` is no form that an answer may have',
    covers: (_, { asked, there, here }) =>
      asked.headers['accept'] === 'application/*' && there.code === 406 && here.code !== 406,
  },
  {
    row: 'Of a list that is wrong in two ways, the selectors are told before the form of the answer',
    covers: (_, parted) =>
      bothRefused(parted) &&
      parted.asked.method === 'GET' &&
      (parted.here.code === 406 || parted.asked.path.includes('includeObject=x')),
  },
  {
    row: 'A patch is refused by its media type before its options are read',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      (there.code === 415 || there.code === 406) &&
      here.code === 422 &&
      messageOf(here).includes('PatchOptions'),
  },
  {
    row: 'A patch in an unknown form is refused without a list of those that are known',
    covers: ({ path }, { asked, there, here }) =>
      path === 'body.message' && asked.method === 'PATCH' && there.code === 415 && here.code === 415,
  },
  {
    row: 'A body that is `null` is an object without any field',
    covers: (_, { asked, here }) =>
      asked.body === 'null' && here.code === 400 && messageOf(here) === 'the body of the request must be an object',
  },
  {
    row: 'A patch that changes the uid is a 422 that says so twice',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      there.code === 422 &&
      here.code === 409 &&
      messageOf(there).includes('metadata.uid: Invalid value'),
  },
  {
    row: 'A generation that somebody sends for a kind that counts none is kept, and CSIDrivers count theirs from the first change on',
    covers: ({ path, here }) => /metadata\.generation$/.test(path) && here === undefined,
  },
  {
    row: 'A patch that changes kind or version is a 422, or is not seen',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      here.code === 400 &&
      (there.code === 422 || there.code < 300) &&
      /cannot be handled as a|does not match the expected API version/.test(messageOf(here)),
  },
  {
    row: 'By the status door of a Service that is not there, a PUT is judged as a new one, and may make one',
    covers: (_, { called, there, here }) =>
      called === 'Service status' && (there.code === 422 || there.code === 201) && here.code === 404,
  },
  {
    row: 'A JSON patch may remove what is shown as `null` or empty, and add below it',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      there.code < 300 &&
      here.code === 422 &&
      /\((?:remove|add) .*no value at /.test(messageOf(here)),
  },
  {
    row: 'A JSON patch may remove what is shown as `null` or empty, and add below it',
    covers: (_, { asked, there, here }) =>
      asked.headers['content-type'] === 'application/json-patch+json' &&
      isWholePatch(there) &&
      here.code === 422 &&
      /\(add \/status\/(?:nodeInfo|daemonEndpoints)\/.*no value at "(?:nodeInfo|daemonEndpoints)"$/.test(
        messageOf(here),
      ),
  },
  {
    row: 'Nothing is asked of `extendedResourceName` while its feature is off',
    covers: (_, { called, there, here }) =>
      called.startsWith('DeviceClass ') &&
      there.code < 300 &&
      here.code === 422 &&
      messageOf(here).includes('spec.extendedResourceName'),
  },
  {
    row: 'ResourceClaim, ResourceClaimTemplate, ResourceSlice, DeviceClass',
    covers: (_, { called, there, here }) =>
      /^(?:DeviceClass|Resource)/.test(called) &&
      here.code < 300 &&
      there.code === 422 &&
      messageOf(there).includes('cel.expression'),
  },
  {
    row: 'An answer in parts of the wrong form is refused with the Go type of the object, of custom resources with a 500',
    covers: (_, { there, here }) =>
      there.code === 406 && here.code === 406 && messageOf(there).startsWith(messageOf(here)),
  },
  {
    row: 'A patch that brings a value of the wrong type is a 422 that quotes the whole object, or a 500',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      here.code === 400 &&
      (there.code === 500 || (there.code === 422 && isWholePatch(there))),
  },
  {
    row: 'By the door of the status, all of the body is read',
    covers: (_, { asked, there, here }) =>
      asked.path.includes('/status') &&
      ((there.code >= 400 &&
        (here.code < 300 || here.code === 404) &&
        (/ cannot be handled as |failed to create typed patch object/.test(messageOf(there)) || isWholePatch(there))) ||
        (there.warnings.includes('unknown field') && here.warnings === '')),
  },
  {
    row: 'Fields of features that are off are dropped in silence (`fileKeyRef`, `restartPolicyRules`, `restartPolicy` of a container, `stopSignal`, `hostnameOverride`, `strategy` and `preferredHolder` of a Lease; `podCertificate`; binding conditions and shared capacity of devices; `nodeAllocatableUpdatePeriodSeconds` of a CSIDriver)',
    covers: (_, { there, here }) => there.code < 300 && gated.test(JSON.stringify(here.body)),
  },
  {
    row: 'A time that nobody set is `null` in some places (`lastProbeTime` of a pod\'s conditions), and a part that says nothing is `{}`, `[]`, `""` or `null`',
    covers: ({ there, here }) => isEmpty(there) && isEmpty(here),
  },
  {
    row: 'A bookmark has the fields that its kind always shows, empty',
    covers: ({ path, here }, parted) => isOf(parted, 'watch') && here === undefined && isBookmark(parted.there, path),
  },
  {
    row: 'Kinds that nothing acts on are kept without a word',
    covers: ({ path }, { here }) =>
      path === 'warnings' && /simulated pods have no traffic|no controller of this cluster runs/.test(here.warnings),
  },
  {
    row: 'Deleting a Job without a propagation policy warns that its pods stay',
    covers: ({ path, there = '' }) => path === 'warnings' && there.includes('child pods are preserved by default'),
  },
  {
    row: "Columns are described in upstream's words",
    covers: ({ path }) => /columnDefinitions\[\d+\]\.description$/.test(path),
  },
  {
    row: 'Lists of custom resources without columns of their own have a column `Age` that is a date',
    covers: ({ path, there, here }, { asked }) =>
      /columnDefinitions\[1\]\.type$/.test(path) &&
      asked.path.includes('/monitoring.') &&
      there === '"date"' &&
      here === '"string"',
  },
  {
    row: 'A 400 for values of the wrong type names the first',
    covers: (_, { there, here }) =>
      there.code === 400 && here.code === 400 && JSON.stringify(here.body).includes('"FieldValueTypeInvalid"'),
  },
  {
    row: 'The Status of a deletion has no code',
    covers: ({ path, there }, parted) => isOf(parted, 'delete') && path === 'body.code' && there === undefined,
  },
  {
    row: 'A deletion with `orphanDependents: false` that has to wait is a 202',
    covers: ({ path }, { asked, there, here }) =>
      path === 'code' &&
      asked.method === 'DELETE' &&
      there.code === 202 &&
      here.code === 200 &&
      (asked.body ?? '').includes('"orphanDependents":false'),
  },
  {
    row: 'Options of a deletion that cannot be read are a 500',
    covers: (_, { asked, there, here }) => asked.method === 'DELETE' && there.code === 500 && here.code === 400,
  },
  {
    row: 'Of a deletion of a collection that is wrong in two ways, the selectors are told first',
    covers: (_, parted) => isOf(parted, 'collection') && bothRefused(parted),
  },
  {
    row: 'A watch with a negative time-out ends with an error, or at once',
    covers: (_, { asked }) => asked.path.includes('timeoutSeconds=-'),
  },
  {
    row: 'A pod that is deleted is marked first, and removed then, also where that is at once',
    covers: (_, parted) => parted.called === 'Pod watch' && bothTook(parted),
  },
  {
    row: 'Why a continue token is none is told as its parts are read',
    covers: ({ path }, { there, here }) =>
      path === 'body.message' &&
      /continue key is not valid/.test(messageOf(there)) &&
      /continue key is not valid/.test(messageOf(here)),
  },
  {
    row: 'Fields that are filled in are owned, or not, by where upstream fills them in',
    covers: ({ path }, { there, here }) =>
      /managedFields/.test(path) ||
      (there.code < 300 &&
        here.code === 409 &&
        /^Apply failed with 1 conflict: .* \.spec\.(?:podSelector|ipFamilies)$/.test(messageOf(here))),
  },
  {
    row: 'An apply that cannot be made is refused before it is judged, and names all of what cannot be',
    covers: (_, parted) => isOf(parted, 'apply') && bothRefused(parted),
  },
  {
    row: 'A refused pod update ends with a dump of Go structures',
    covers: (_, { there, here }) =>
      there.code === 422 &&
      here.code === 422 &&
      / updates may not change fields|spec is immutable after creation/.test(messageOf(there)),
  },
  {
    row: 'A strategic merge patch of what has no schema, or of a map of lists, is a 500',
    covers: (_, { called, there, here }) =>
      called.endsWith(' strategic') &&
      there.code === 500 &&
      here.code !== 500 &&
      /^unable to find api field in struct RawExtension|^merging an object in json but data type is not struct/.test(
        messageOf(there),
      ),
  },
  {
    row: 'A list of roles that are not there has no order',
    covers: ({ path }, { called, there, here }) =>
      called.endsWith('AccessReview create') &&
      path === 'body.status.reason' &&
      notThere(there).length > 1 &&
      notThere(there).join() === notThere(here).join(),
  },
  {
    row: 'Volumes of a StatefulSet are counted behind those of its claims',
    covers: ({ path }, parted) =>
      parted.called.startsWith('StatefulSet ') &&
      isRefusal(path, parted) &&
      uncounted(messageOf(parted.there)) === uncounted(messageOf(parted.here)),
  },
  {
    row: 'Of an object that is wrong in several ways, the mistakes are told in the order of its code',
    covers: ({ path }, parted) =>
      isRefusal(path, parted) && causesOf(parted.there).join() === causesOf(parted.here).join(),
  },
  {
    row: 'Of an object that is wrong in several ways, some are told that follow from others',
    covers: ({ path }, parted) => isRefusal(path, parted) && shareOne(fieldsOf(parted.there), fieldsOf(parted.here)),
  },
];

/** Upstream’s refusal of a patch that does not fit quotes all of the object. */
function isWholePatch(said: Said): boolean {
  return / is invalid: patch: Invalid value/.test(messageOf(said));
}

function messageOf({ body }: Said): string {
  return (body as { readonly message?: string } | null)?.message ?? '';
}

/** Roles that are bound and missing. */
function notThere({ body }: Said): readonly string[] {
  const { reason = '' } = (body as { readonly status?: { readonly reason?: string } } | null)?.status ?? {};
  return [...reason.matchAll(/role\.rbac\.authorization\.k8s\.io "[^"]*" not found/g)].map(([text]) => text).sort();
}

function uncounted(message: string): string {
  return message.replaceAll(/\.volumes\[\d+\]/g, '.volumes[]');
}

interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

function rawCauses({ body }: Said): readonly Cause[] {
  return (body as { readonly details?: { readonly causes?: readonly Cause[] } } | null)?.details?.causes ?? [];
}

function causesOf(said: Said): readonly string[] {
  return rawCauses(said)
    .map((cause) => JSON.stringify(cause))
    .sort();
}

function fieldsOf(said: Said): readonly string[] {
  return rawCauses(said).map(({ field = '' }) => field);
}

function shareOne(some: readonly string[], others: readonly string[]): boolean {
  return some.some((each) => others.includes(each));
}

function isRefusal(path: string, { there, here }: Parted): boolean {
  return there.code === 422 && here.code === 422 && /^body\.(?:message|details)/.test(path);
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

function isBookmark({ body }: Said, path: string): boolean {
  const index = /^body\[(\d+)\]/.exec(path)?.[1];
  const event = Array.isArray(body) ? (body[Number(index)] as { readonly type?: string } | undefined) : undefined;
  return event?.type === 'BOOKMARK';
}

export interface Explained {
  /** Rows that something of it is known by. */
  readonly rows: readonly string[];
  /** What nobody has explained. */
  readonly news: readonly string[];
}

export function explain(parted: Parted): Explained {
  const rows = new Set<string>();
  const news: string[] = [];
  for (const difference of parted.differences) {
    const known = knownClasses.find(({ covers }) => covers(difference, parted));
    if (known === undefined) news.push(formatDifference(difference));
    else rows.add(known.row);
  }
  return { rows: [...rows], news };
}
