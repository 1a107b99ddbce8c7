/** The block of a configuration that makes terraform use a workspace of this service. */
export const cloudBlock = (organization: string, workspace: string): string => `terraform {
  cloud {
    hostname     = "${location.host}"
    organization = "${organization}"
    workspaces { name = "${workspace}" }
  }
}`;
