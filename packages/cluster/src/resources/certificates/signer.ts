import type { FieldPath, Issue } from '../../api/issue.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from '../../api/names.ts';

/** A domain, a slash and a name: `example.com/signer-name`. */
export function* signerName(name: string, at: FieldPath): Iterable<Issue> {
  if (name === '') {
    yield at.required();
    return;
  }
  const parts = name.split('/');
  const [domain = '', path = ''] = parts;
  if (parts.length !== 2) {
    yield at.invalid(name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (domain.length > 253) yield at.tooLong(domain, 253);
  yield* labelIssues(domain, { at, problemsOf: dnsLabelProblems });
  if (!domain.includes('.'))
    yield at.invalid(domain, 'should be a domain with at least two segments separated by dots');
  yield* labelIssues(path, { at, problemsOf: dnsSubdomainProblems });
}

interface Labels {
  readonly at: FieldPath;
  problemsOf(label: string): readonly string[];
}

/** Of the first label that has any: the others would say the same. */
function* labelIssues(text: string, { at, problemsOf }: Labels): Iterable<Issue> {
  for (const label of text.split('.')) {
    const problems = problemsOf(label);
    for (const problem of problems) yield at.invalid(text, `validating label ${JSON.stringify(label)}: ${problem}`);
    if (problems.length > 0) return;
  }
}
