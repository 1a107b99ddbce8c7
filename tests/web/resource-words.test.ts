import { describe, expect, it } from '@jest/globals';
import { matching, providerName } from '../../web/console/state/resource-words.js';

const aws = 'provider["registry.terraform.io/hashicorp/aws"]';
const resources = [
  { name: 'main', type: 'aws_vpc', module: 'root', provider: aws },
  { name: 'logs', type: 'aws_s3_bucket', module: 'module.audit', provider: aws },
  { name: 'main', type: 'example_thing', module: 'root', provider: 'provider["registry.example.com/acme/example"].eu' },
];

describe('the search for resources of a state', () => {
  it.each([
    ['', ['aws_vpc', 'aws_s3_bucket', 'example_thing']],
    ['aws_vpc.main', ['aws_vpc']],
    ['MAIN root', ['aws_vpc', 'example_thing']],
    ['audit logs', ['aws_s3_bucket']],
    ['acme/example', ['example_thing']],
    ['audit main', []],
  ])('finds for "%s" %j', (search, found) => {
    expect(matching(resources, search).map(({ type }) => type)).toEqual(found);
  });
});

describe('a provider of a state', () => {
  it.each([
    [aws, 'hashicorp/aws'],
    ['provider["registry.example.com/acme/example"].eu', 'registry.example.com/acme/example'],
    ['provider.aws', 'provider.aws'],
  ])('%s is named %s', (provider, name) => {
    expect(providerName(provider)).toBe(name);
  });
});
