import type { CustomResourceDefinition } from '../../api/generated/apiextensions-v1.ts';
import { goType } from '../../api/go-text.ts';
import { parseApiVersion } from '../../api/gvk.ts';
import { root } from '../../api/issue.ts';
import type { KubeObject, ObjectMeta } from '../../api/meta.ts';
import { isObject, type JsonObject, without } from '../../api/record.ts';
import { failure, StatusError } from '../../api/status.ts';
import { present } from '../../base/assert.ts';
import { randomUuid } from '../../base/random.ts';
import { annotationsIssues, labelIssues } from '../../resources/validation/names.ts';
import { unstored } from '../admission/beforehand.ts';
import type { ConversionRequest, Converter } from '../context/conversion.ts';
import { type Calling, callHook } from './call.ts';
import { reviewVersion } from './request.ts';

const objectsMax = 500;
const answerBytesMax = 256 * 2 ** 20;
const timeoutMs = 30_000;

/** Asks the webhooks of CustomResourceDefinitions, for many objects at a time. */
export function createWebhookConverter(calling: () => Calling): Converter {
  return {
    concerns: ({ spec }) => spec.conversion?.strategy === 'Webhook',
    async convert(request, { signal }) {
      const converted: KubeObject[] = [];
      for (let at = 0; at < request.objects.length; at += objectsMax) {
        const objects = request.objects.slice(at, at + objectsMax);
        converted.push(...(await convertSome(calling(), { ...request, objects }, { signal })));
      }
      return converted;
    },
  };
}

async function convertSome(
  calling: Calling,
  { crd, objects, apiVersion }: ConversionRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly KubeObject[]> {
  const kind = kindText(present(objects[0], 'an object to convert'));
  try {
    const uid = randomUuid(calling.random);
    const { clientConfig, version } = webhookOf(crd);
    const body = {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion: apiVersion, objects: objects.map(unstored) },
    };
    const call = { clientConfig, body, timeoutMs, answerBytesMax };
    const answered = convertedIn(await callHook(calling, call, { signal }), { uid, version });
    if (answered.length !== objects.length)
      throw new Misanswer(`returned ${answered.length} objects, expected ${objects.length}`);
    const readers = objects.length === 1 ? [wordsOfOne] : objects.map((_, index) => wordsAt(index));
    return objects.map((object, index) =>
      readOne(object, answered[index], { apiVersion, words: readers[index] ?? wordsOfOne }),
    );
  } catch (error) {
    signal.throwIfAborted();
    const said = error instanceof Error ? error.message : String(error);
    const message = `conversion webhook for ${kind} ${error instanceof Misanswer ? said : `failed: ${said}`}`;
    // Upstream gives these no reason.
    const { reason: _unknown, details: _none, ...status } = failure(500, 'InternalError', message, {});
    throw new StatusError(status, { cause: error });
  }
}

/** What is wrong with an answer, as the end of a sentence. */
class Misanswer extends Error {}

function kindText({ apiVersion, kind }: KubeObject): string {
  const { group, version } = parseApiVersion(apiVersion);
  return `${group}/${version}, Kind=${kind}`;
}

function webhookOf({ spec }: CustomResourceDefinition): {
  readonly clientConfig: NonNullable<NonNullable<NonNullable<typeof spec.conversion>['webhook']>['clientConfig']>;
  readonly version: 'v1' | 'v1beta1';
} {
  const { clientConfig, conversionReviewVersions = [] } = spec.conversion?.webhook ?? {};
  const version = reviewVersion(conversionReviewVersions);
  if (clientConfig === undefined || version === undefined) throw new Error('no supported conversion review versions');
  return { clientConfig, version };
}

function convertedIn(
  review: JsonObject,
  { uid, version }: { readonly uid: string; readonly version: 'v1' | 'v1beta1' },
): readonly unknown[] {
  const { apiVersion, kind, response } = review;
  const isReview = apiVersion === 'apiextensions.k8s.io/v1' && kind === 'ConversionReview';
  // The first version asked for neither.
  if (version === 'v1' && !isReview)
    throw new Error(
      `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${typeof apiVersion === 'string' ? apiVersion : '/'}, Kind=${typeof kind === 'string' ? kind : ''}`,
    );
  if (!isObject(response)) throw new Error('no response provided');
  if (version === 'v1' && response['uid'] !== uid)
    throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  const { status = '', message = '' } = isObject(response['result']) ? response['result'] : {};
  if (status !== 'Success')
    throw new Error(message === '' ? `response.result.status was '${String(status)}', not 'Success'` : String(message));
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

interface Reading {
  readonly apiVersion: string;
  readonly words: Words;
}

/** How an answer that will not do is told of: of one object alone, or of one among several. */
interface Words {
  readonly type: string;
  readonly object: string;
  readonly metadata: string;
}

const wordsOfOne: Words = {
  type: 'invalid object at index 0',
  object: 'invalid object',
  metadata: 'invalid metadata',
};

function wordsAt(index: number): Words {
  const object = `invalid converted object at index ${index}`;
  return { type: object, object, metadata: `invalid metadata in object at index ${index}` };
}

/** The object in its other version: the same one, with nothing of its metadata changed but labels and annotations. */
function readOne(original: KubeObject, answered: unknown, { apiVersion, words }: Reading): KubeObject {
  const wrong = (why: string, what = words.object): Misanswer => new Misanswer(`returned ${what}: ${why}`);
  if (!isObject(answered)) throw wrong('it is no object', words.type);
  const converted = answered as unknown as KubeObject;
  if (converted.apiVersion !== apiVersion)
    throw wrong(`invalid groupVersion (expected ${apiVersion}, received ${textOf(converted.apiVersion)})`, words.type);
  if (converted.kind !== original.kind)
    throw wrong(`invalid kind (expected ${original.kind}, received ${textOf(converted.kind)})`, words.type);
  const sent: Partial<ObjectMeta> = isObject(converted.metadata) ? converted.metadata : {};
  for (const [field, name] of identity) {
    const [was, is] = [original.metadata[field] ?? '', textOf(sent[field])];
    if (was !== is) throw wrong(`must have the same ${name}: ${was} != ${is}`);
  }
  const texts = textsOf(sent, (why) => wrong(why, words.metadata));
  const metadata = { ...without(original.metadata as unknown as JsonObject, ['labels', 'annotations']), ...texts };
  return { ...converted, metadata } as KubeObject;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const identity = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

function textsOf(
  { labels, annotations }: Partial<ObjectMeta>,
  wrong: (why: string) => Error,
): Pick<ObjectMeta, 'labels' | 'annotations'> {
  for (const [field, map] of Object.entries({ labels, annotations })) {
    if (map === undefined || map === null) continue;
    if (!isObject(map)) throw wrong(`invalid metadata.${field} of type ${goType(map)} in converted object`);
    const odd = Object.keys(map).find((key) => typeof map[key] !== 'string');
    if (odd !== undefined)
      throw wrong(`metadata.${field}[${odd}] must be a string, but is ${goType(map[odd])} in converted object`);
  }
  const issues = [
    ...labelIssues(labels ?? undefined, root('metadata', 'labels')),
    ...annotationsIssues(annotations ?? undefined, root('metadata', 'annotations')),
  ];
  const [first] = issues;
  if (first !== undefined) throw wrong(`${first.field}: ${first.message}`);
  return { ...(labels && { labels }), ...(annotations && { annotations }) };
}
