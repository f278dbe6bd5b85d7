import { unreadableBecause } from '../../api/codec/json.ts';
import { isObject, type JsonObject } from '../../api/record.ts';
import type { Status } from '../../api/status.ts';
import { HookFailure } from './call.ts';
import type { ReviewVersion } from './request.ts';

export interface HookAnswer {
  readonly warnings: readonly string[];
  /** Why the request is refused. Absent: it is allowed. */
  readonly denial?: Status;
  /** The operations of a JSON patch; none for most. */
  readonly patch: readonly unknown[];
  /** For the audit log, by keys of its own. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Expected {
  /** Of the webhook, for messages. */
  readonly name: string;
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly does: 'mutate' | 'validate';
}

/** What an AdmissionReview that came back says. Throws a {@link HookFailure} when it is none, or not for this request. */
export function readAnswer(review: JsonObject, expected: Expected): HookAnswer {
  const { version, uid, does, name } = expected;
  const { response } = review;
  if (!isObject(response)) throw invalid('webhook response was absent');
  checkAllowed(response);
  if (version === 'v1') {
    if (response['uid'] !== uid)
      throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`);
    checkKind(review);
    checkPatchFields(response, does);
  }
  const { warnings } = response;
  const said = Array.isArray(warnings) ? warnings.filter((each): each is string => typeof each === 'string') : [];
  const told = { warnings: said, annotations: annotationsOf(response) };
  if (response['allowed'] !== true) return { ...told, denial: denialOf(name, response), patch: [] };
  return { ...told, patch: does === 'mutate' ? patchOf(response, version) : [] };
}

function annotationsOf({ auditAnnotations }: JsonObject): HookAnswer['annotations'] {
  if (!isObject(auditAnnotations)) return {};
  return Object.fromEntries(
    Object.entries(auditAnnotations).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function invalid(why: string): HookFailure {
  return new HookFailure(`received invalid webhook response: ${why}`);
}

function checkKind({ apiVersion, kind }: JsonObject): void {
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  throw invalid(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${textOf(apiVersion) || '/'}, Kind=${textOf(kind)}`,
  );
}

/** Whatever is not yes or no is no answer, so that the failure policy holds. */
function checkAllowed({ allowed }: JsonObject): void {
  if (allowed === undefined || allowed === null || typeof allowed === 'boolean') return;
  throw new HookFailure(
    `failed to call webhook: json: cannot unmarshal ${Array.isArray(allowed) ? 'array' : typeof allowed} into Go struct field AdmissionResponse.response.allowed of type bool`,
  );
}

function checkPatchFields({ patch, patchType }: JsonObject, does: Expected['does']): void {
  const hasPatch = textOf(patch) !== '';
  const hasType = patchType !== undefined && patchType !== null;
  if (does === 'validate') {
    if (hasPatch) throw invalid('validating webhook may not return response.patch');
    if (hasType) throw invalid('validating webhook may not return response.patchType');
    return;
  }
  if (hasPatch && !hasType) throw invalid('webhook returned response.patch but not response.patchType');
  if (!hasPatch && hasType) throw invalid('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function patchOf({ patch, patchType }: JsonObject, version: ReviewVersion): readonly unknown[] {
  const text = textOf(patch).replace(/[\r\n]/g, '');
  if (text === '') return [];
  if (!base64.test(text)) throw new HookFailure('failed to call webhook: illegal base64 data in response.patch');
  const operations = operationsIn(Buffer.from(text, 'base64').toString('utf8'));
  // The first version knows one type only, and does not ask for its name.
  if (version === 'v1' && patchType !== 'JSONPatch')
    throw new HookFailure(`unsupported patch type ${JSON.stringify(patchType)}`);
  return operations;
}

function operationsIn(text: string): readonly unknown[] {
  const undecodable = (why: string): HookFailure =>
    new HookFailure(`received undecodable patch in webhook response: ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw undecodable(unreadableBecause(error));
  }
  if (!Array.isArray(value)) throw undecodable('a JSON patch is an array of operations');
  return value;
}

/** In upstream's words, which people and tools look for. */
function denialOf(name: string, { status }: JsonObject): Status {
  const given = isObject(status) ? status : {};
  const { code, reason, details } = given;
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = textOf(given['message']) || textOf(reason);
  return {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    ...(typeof reason === 'string' && reason !== '' && { reason: reason as NonNullable<Status['reason']> }),
    ...(isObject(details) && { details }),
    code: typeof code === 'number' && code >= 400 ? code : 400,
  };
}
