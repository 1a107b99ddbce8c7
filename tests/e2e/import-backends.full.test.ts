import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { type S3Server, startS3Server } from '../support/s3-server.js';
import { ServiceSteps } from '../support/service-steps.js';
import { hostname, killCommands, Workplace } from '../support/terraform-cli.js';

const tofu = process.env.TOFU ?? 'tofu';
const { run, reason } = needing(tofu);

let directory: string;
let service: ServiceProcess;
let store: S3Server;

beforeAll(async () => {
  directory = await temporaryDirectory();
  service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data') });
  await service.provision('acme', 'other');
  store = await startS3Server({ bucket: 'states' });
});

afterAll(async () => {
  killCommands();
  await store?.close();
  await service?.end();
});

const remote = (name: string) => `terraform {
  backend "remote" {
    hostname     = "${hostname}"
    organization = "acme"
    workspaces { name = "${name}" }
  }
}
`;

const s3 = () => `terraform {
  backend "s3" {
    bucket                      = "${store.bucket}"
    key                         = "network.tfstate"
    region                      = "${store.region}"
    endpoints                   = { s3 = "${store.endpoint}" }
    access_key                  = "${store.accessKeyId}"
    secret_key                  = "${store.secretAccessKey}"
    use_path_style              = true
    skip_credentials_validation = true
    skip_metadata_api_check     = true
    skip_region_validation      = true
    skip_requesting_account_id  = true
    skip_s3_checksum            = true
  }
}
`;

describe('a state in another backend', () => {
  run.each([
    ['a file', 'from-file', () => ''],
    ['S3', 'from-s3', s3],
  ])(`comes from %s with tofu init -migrate-state${reason}`, async (_, name, backend) => {
    const at = { url: service.url, token: adminToken };
    const body = 'resource "terraform_data" "x" { input = "hello" }\n';
    const place = await Workplace.make(join(directory, name), at, { organization: 'acme', name }, body, tofu);
    const does = async (...words: readonly string[]): Promise<string> => {
      const { code, printed } = await place.run(...words);
      expect({ words, code, printed }).toEqual({ words, code: 0, printed });
      return printed;
    };
    await place.write('cloud.tf', backend());
    await does('init', '-input=false', '-no-color');
    await does('apply', '-auto-approve', '-input=false', '-no-color');
    await place.write('cloud.tf', remote(name));
    await does('init', '-migrate-state', '-force-copy', '-input=false', '-no-color');
    expect(await does('state', 'list')).toContain('terraform_data.x');
    const steps = new ServiceSteps(service);
    const { id } = await steps.ask('GET', `/organizations/acme/workspaces/${name}`);
    const { attributes } = await steps.ask('GET', `/workspaces/${id}/current-state-version`);
    expect(attributes).toMatchObject({ serial: 1, lineage: JSON.parse(await does('state', 'pull')).lineage });
  });
});
