import { builtPeer } from '../built.ts';
import { peerVariable } from '../peers.ts';

/** What a control plane of upstream's is made of. */
export const planePrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type PlaneProgram = (typeof planePrograms)[number];

/** Their paths. */
export type Programs = Readonly<Record<PlaneProgram, string>>;

/** Those that variables of the environment name (`KUBE_APISERVER`), or that `npm run peers` has built. */
export function findPrograms(
  env: Readonly<Record<string, string | undefined>>,
):
  | { readonly programs: Programs; readonly missing?: undefined }
  | { readonly programs?: undefined; readonly missing: string } {
  const found = planePrograms.map((name) => [name, env[peerVariable(name)] ?? builtPeer(name, env)] as const);
  const lacks = found.filter(([, path]) => path === undefined).map(([name]) => name);
  if (lacks.length > 0) return { missing: `not built: npm run peers -- ${lacks.join(' ')}` };
  return { programs: Object.fromEntries(found) as Programs };
}
