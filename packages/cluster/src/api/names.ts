import { remember } from '../base/remember.ts';

/** The grammars that names, label keys and label values follow, with the words clients expect when they do not. */
const labelLengthMax = 63;
const subdomainLengthMax = 253;
const dnsLabel = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const dnsSubdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const word = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

/** What is wrong with an RFC 1123 label (`node-1`); empty when nothing is. */
export function dnsLabelProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > labelLengthMax) problems.push(`must be no more than ${labelLengthMax} characters`);
  if (!dnsLabel.test(value)) {
    // Whoever wrote a name of several parts is told what is wrong with it alone.
    const isName = value.length <= subdomainLengthMax && dnsSubdomain.test(value);
    problems.push(
      isName
        ? 'must not contain dots'
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return problems;
}

/** What is wrong with an RFC 1123 subdomain (`example.com`); empty when nothing is. */
export function dnsSubdomainProblems(value: string): readonly string[] {
  const problems: string[] = [];
  const tooLong = value.length > subdomainLengthMax;
  if (tooLong) problems.push(`must be no more than ${subdomainLengthMax} characters`);
  if (!dnsSubdomain.test(tooLong ? value.slice(0, subdomainLengthMax) : value)) {
    problems.push(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    );
  }
  return problems;
}

/** What is wrong with a qualified name (`app`, `example.com/app`): label keys, taint keys, resource names, finalizers. */
export const qualifiedNameProblems: (value: string) => readonly string[] = remember(findQualifiedNameProblems);

function findQualifiedNameProblems(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, parts[0]];
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...dnsSubdomainProblems(prefix).map((text) => `prefix part ${text}`));
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > labelLengthMax) problems.push(`name part must be no more than ${labelLengthMax} characters`);
  if (!word.test(name.slice(0, subdomainLengthMax))) {
    problems.push(
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    );
  }
  return problems;
}

/** What is wrong with a label value; the empty value is allowed. */
export function labelValueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > labelLengthMax) problems.push(`must be no more than ${labelLengthMax} characters`);
  if (value !== '' && !word.test(value.slice(0, subdomainLengthMax))) {
    problems.push(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    );
  }
  return problems;
}

/** RFC 1035 label: starts with a letter. */
export function dnsLabel1035Problems(value: string): readonly string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 characters');
  if (!/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(value))
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    );
  return problems;
}
