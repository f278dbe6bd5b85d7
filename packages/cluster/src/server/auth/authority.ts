/**
 * Which certificate authority signs, and which ones clients are told to trust. There are two places, so that an authority
 * can be replaced with an overlap: a year before the one that signs ends, its successor is made and published beside it;
 * a month before the end the successor signs. Whoever fetched the kubeconfig or `kube-root-ca.crt` within those eleven
 * months notices nothing. The same two places take a wrong clock: an authority that is not valid at the moment is put
 * aside, and taken back as soon as the clock is right again.
 */
import { type CertificateFacts, certificateFacts, makeAuthority, type PemPair } from './certificates.ts';
import { dayMs, renewalMs, startsEarly, type Window } from './lifetime.ts';
import { type PkiFiles, readPair, writePair } from './pki-files.ts';

export interface Authorities {
  readonly signing: PemPair;
  /** Until when what it signs may last. */
  readonly endsMs: number;
  /** PEM of all that are to be trusted, the one that signs first. */
  readonly bundle: string;
  /** As long as the time is within, nothing changes here. */
  readonly window: Window;
  /** What people outside have to know. */
  readonly notices: readonly string[];
}

const places = ['ca', 'ca-2'] as const;
type Place = (typeof places)[number];

interface Held {
  readonly place: Place;
  readonly pair: PemPair;
  readonly facts: CertificateFacts;
}

const authorityMs = 3_650 * dayMs;
const overlapMs = 365 * dayMs;

/** Reads the authorities and makes what is missing. */
export async function loadAuthorities(files: PkiFiles, nowMs: number): Promise<Authorities> {
  const found = await heldIn(files);
  const remains = await remainsIn(files, found);
  const elected = signingOne(found, nowMs);
  const signing = elected ?? (await make(files, { place: freePlace([...found, ...remains], undefined), nowMs }));
  const others = found.filter(({ place }) => place !== signing.place);
  const isEnding = signing.facts.notAfterMs - nowMs <= overlapMs;
  const known = others.find(({ facts }) => facts.notAfterMs > signing.facts.notAfterMs);
  const successor =
    known ?? (isEnding ? await make(files, { place: freePlace(found, signing.place), nowMs }) : undefined);
  const trusted = [signing, ...(successor === undefined ? others : [successor])].filter(
    ({ facts }) => facts.notAfterMs > nowMs,
  );
  const notices = [
    ...(elected === undefined && found.length > 0 ? [replacedNotice(found, nowMs)] : []),
    ...(elected === undefined && found.length === 0 ? remains.map(({ place }) => lostNotice(place)) : []),
    ...(isEnding ? [endingNotice(signing.facts.notAfterMs)] : []),
  ];
  return {
    signing: signing.pair,
    endsMs: signing.facts.notAfterMs,
    bundle: trusted.map(({ pair }) => `${pair.cert.trimEnd()}\n`).join(''),
    window: {
      fromMs: signing.facts.notBeforeMs,
      untilMs: signing.facts.notAfterMs - (successor === undefined ? overlapMs : renewalMs),
    },
    notices,
  };
}

async function heldIn(files: PkiFiles): Promise<readonly Held[]> {
  const held: Held[] = [];
  for (const place of places) {
    const pair = await readPair(files, place);
    const facts = pair && certificateFacts(pair);
    if (pair !== undefined && facts?.isAuthority === true) held.push({ place, pair, facts });
  }
  return held;
}

/** A certificate without its key signs nothing, but it is not written over: its key may be found again. */
async function remainsIn(files: PkiFiles, held: readonly Held[]): Promise<readonly { readonly place: Place }[]> {
  const others = places.filter((place) => held.every((each) => each.place !== place));
  const texts = await Promise.all(others.map((place) => files.read(`${place}.crt`)));
  return others.flatMap((place, index) => (texts[index] === undefined ? [] : [{ place }]));
}

function lostNotice(place: Place): string {
  return `the key of the certificate authority (pki/${place}.key) is missing or does not belong to it, so it was replaced; copies of the kubeconfig made before now are refused: copy it again, or stop, put the key back and start`;
}

/** The eldest that is valid and lasts: a successor waits for its turn. */
function signingOne(held: readonly Held[], nowMs: number): Held | undefined {
  return held
    .filter(({ facts }) => facts.notBeforeMs <= nowMs && facts.notAfterMs - nowMs > renewalMs)
    .sort((a, b) => a.facts.notBeforeMs - b.facts.notBeforeMs)[0];
}

/** An empty one; else one that holds nothing that can be read; else the one whose authority ends first, but never the one that signs. */
function freePlace(
  taken: readonly { readonly place: Place; readonly facts?: CertificateFacts }[],
  signing: Place | undefined,
): Place {
  const empty = places.find((place) => place !== signing && taken.every((each) => each.place !== place));
  if (empty !== undefined) return empty;
  const others = taken.filter(({ place }) => place !== signing);
  return [...others].sort((a, b) => (a.facts?.notAfterMs ?? 0) - (b.facts?.notAfterMs ?? 0))[0]?.place ?? places[0];
}

async function make(
  files: PkiFiles,
  { place, nowMs }: { readonly place: Place; readonly nowMs: number },
): Promise<Held> {
  const period = { notBeforeMs: startsEarly(nowMs), notAfterMs: nowMs + authorityMs };
  const pair = await makeAuthority({ commonName: 'signalbox-ca', ...period });
  await writePair(files, place, pair);
  const facts = certificateFacts(pair);
  if (facts === undefined) throw new Error('the certificate authority that was just made cannot be read');
  return { place, pair, facts };
}

function replacedNotice(found: readonly Held[], nowMs: number): string {
  const isEarly = found.every(({ facts }) => facts.notBeforeMs > nowMs);
  const why = isEarly ? 'is not valid yet (check the clock of this computer)' : 'ends within a month or has ended';
  return `the certificate authority ${why} and was replaced; copies of the kubeconfig made before now are refused: copy it again`;
}

function endingNotice(notAfterMs: number): string {
  return `the certificate authority signs until ${day(notAfterMs - renewalMs)}; its successor is in the kubeconfig and in kube-root-ca.crt from now on: replace older copies of them before that day`;
}

function day(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
