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
  /non-init containers|fileKeyRef|stopSignal|restartPolicyRules|hostnameOverride|preferredHolder|"strategy":"/;

const isOf = (parted: Parted, ...deeds: readonly string[]): boolean =>
  deeds.some((deed) => parted.called.endsWith(` ${deed}`));
const bothTook = ({ there, here }: Parted): boolean => there.code < 300 && here.code < 300;
const bothRefused = ({ there, here }: Parted): boolean => there.code >= 400 && here.code >= 400;

export const knownClasses: readonly KnownClass[] = [
  {
    row: 'A patch that brings a value of the wrong type is a 422 that quotes the whole object, or a 500',
    covers: (_, { asked, there, here }) =>
      asked.method === 'PATCH' &&
      here.code === 400 &&
      (there.code === 500 || (there.code === 422 && / is invalid: patch: Invalid value/.test(messageOf(there)))),
  },
  {
    row: 'By the door of the status, all of the body is read',
    covers: (_, { asked, there, here }) =>
      asked.path.includes('/status') &&
      ((there.code === 400 && here.code !== 400 && / cannot be handled as /.test(messageOf(there))) ||
        (there.warnings.includes('unknown field') && here.warnings === '')),
  },
  {
    row: 'Fields of features that are off are dropped in silence (`fileKeyRef`, `restartPolicyRules`, `restartPolicy` of a container, `stopSignal`, `hostnameOverride`, `strategy` and `preferredHolder` of a Lease)',
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
    row: 'Deleting a Job warns that its pods stay',
    covers: ({ path, there = '' }) => path === 'warnings' && there.includes('child pods are preserved by default'),
  },
  {
    row: "Columns are described in upstream's words",
    covers: ({ path }) => /columnDefinitions\[\d+\]\.description$/.test(path),
  },
  {
    row: 'Lists of custom resources without columns of their own have a column `Age` that is a date',
    covers: ({ path }, parted) =>
      isOf(parted, 'table') &&
      /columnDefinitions\[\d+\]\.type$/.test(path) &&
      parted.called.startsWith('ServiceMonitor'),
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
    row: 'Options of a deletion that cannot be read are a 500',
    covers: (_, { asked, there, here }) => asked.method === 'DELETE' && there.code === 500 && here.code === 400,
  },
  {
    row: 'Of a deletion of a collection that is wrong in two ways, the selectors are told first',
    covers: (_, parted) => isOf(parted, 'collection') && bothRefused(parted),
  },
  {
    row: 'A watch from a version that is none is a 500',
    covers: (_, parted) => isOf(parted, 'watch') && parted.there.code === 500 && parted.here.code === 422,
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
    covers: ({ path }) => /managedFields/.test(path),
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
    row: 'Of an object that is wrong in several ways, the mistakes are told in the order of its code',
    covers: ({ path }, parted) =>
      isRefusal(path, parted) && causesOf(parted.there).join() === causesOf(parted.here).join(),
  },
  {
    row: 'Of an object that is wrong in several ways, some are told that follow from others',
    covers: ({ path }, parted) => isRefusal(path, parted) && shareOne(fieldsOf(parted.there), fieldsOf(parted.here)),
  },
];

function messageOf({ body }: Said): string {
  return (body as { readonly message?: string } | null)?.message ?? '';
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
